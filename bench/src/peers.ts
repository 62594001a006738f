import { readFileSync } from "node:fs";
import type { ScenarioName } from "../peers/support/serve.ts";
import { bunVersion } from "./bun.ts";

export interface PeerInfo {
  readonly name: string;
  readonly label: string;
  /** What runs it: Node by default. */
  readonly runtime?: "bun";
  /** The package whose version is shown after the label; "" for the runtime itself. */
  readonly package: string;
  readonly file: string;
  /** Needs the compiled peers/nest. */
  readonly compiled?: boolean;
  /** The scenarios that it serves, beside extra ones. Such a peer takes part in the bars, and elsewhere only when it is named. */
  readonly only?: readonly ScenarioName[];
  /** The scenarios that it does not serve. */
  readonly without?: readonly ScenarioName[];
}

const dependency = (name: string) => new URL(`../node_modules/${name}/package.json`, import.meta.url);
const own = new URL("../../packages/core/package.json", import.meta.url);

export const peers: readonly PeerInfo[] = [
  { name: "node", label: "node:http, bare", package: "", file: "node.ts" },
  { name: "tenon", label: "Tenon", package: "@tenon/core", file: "tenon.ts" },
  {
    name: "tenon-plain",
    label: "Tenon without declarations",
    package: "@tenon/core",
    file: "tenon-plain.ts",
    only: ["body", "list"],
  },
  {
    name: "tenon-unobserved",
    label: "Tenon without the check for subscribers",
    package: "@tenon/core",
    file: "tenon-unobserved.ts",
    only: ["json"],
  },
  {
    name: "tenon-observe",
    label: "Tenon with tracing",
    package: "@tenon/core",
    file: "tenon-observe.ts",
    only: ["json", "params"],
  },
  {
    name: "fastify-otel",
    label: "Fastify with @fastify/otel",
    package: "fastify",
    file: "fastify-otel.ts",
    only: ["json", "params"],
  },
  {
    name: "fastify-pressure",
    label: "Fastify with @fastify/under-pressure",
    package: "@fastify/under-pressure",
    file: "fastify-pressure.ts",
    only: [],
  },
  {
    name: "bun",
    label: "Bun.serve, bare",
    runtime: "bun",
    package: "",
    file: "bun.ts",
    without: ["middlewares", "bearer"],
  },
  { name: "fastify-schema", label: "Fastify, schemas", package: "fastify", file: "fastify-schema.ts" },
  { name: "fastify", label: "Fastify", package: "fastify", file: "fastify.ts" },
  { name: "hono", label: "Hono", package: "hono", file: "hono.ts" },
  { name: "hono-bun", label: "Hono on Bun", runtime: "bun", package: "hono", file: "hono-bun.ts" },
  { name: "h3", label: "h3", package: "h3", file: "h3.ts" },
  { name: "elysia", label: "Elysia on Node", package: "elysia", file: "elysia.ts" },
  { name: "elysia-bun", label: "Elysia on Bun", runtime: "bun", package: "elysia", file: "elysia-bun.ts" },
  { name: "koa", label: "Koa", package: "koa", file: "koa.ts" },
  { name: "express", label: "Express", package: "express", file: "express.ts" },
  {
    name: "nest-fastify",
    label: "NestJS on Fastify",
    package: "@nestjs/core",
    file: "nest-fastify.ts",
    compiled: true,
  },
  {
    name: "nest-express",
    label: "NestJS on Express",
    package: "@nestjs/core",
    file: "nest-express.ts",
    compiled: true,
  },
  { name: "adonis", label: "AdonisJS", package: "@adonisjs/core", file: "adonis.ts" },
];

/** The peers of a scenario: the reference service has one twin, the others are served by nearly every peer. */
export function serves(peer: PeerInfo, scenario: ScenarioName): boolean {
  if (peer.only !== undefined) return peer.only.includes(scenario);
  if (peer.without?.includes(scenario) === true) return false;
  return scenario !== "posts" || peer.name === "tenon" || peer.name === "fastify-schema";
}

/** Leaves out the peers on Bun where it does not run, and prints a line that names them. */
export function withoutMissing(named: readonly PeerInfo[]): readonly PeerInfo[] {
  const runnable = named.filter(({ runtime }) => runtime !== "bun" || bunVersion !== undefined);
  const missing = named.filter((peer) => !runnable.includes(peer)).map(({ name }) => name);
  if (missing.length > 0)
    console.error(`left out, because bench/node_modules/.bin/bun does not run: ${missing.join(", ")}`);
  return runnable;
}

export function versionOf(peer: PeerInfo): string {
  if (peer.package === "") return peer.runtime === "bun" ? (bunVersion ?? "") : process.versions.node;
  return packageVersion(peer.package);
}

export function packageVersion(name: string): string {
  const file = name === "@tenon/core" ? own : dependency(name);
  return JSON.parse(readFileSync(file, "utf8")).version;
}
