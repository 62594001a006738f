import { readFileSync } from "node:fs";
import type { ScenarioName } from "../peers/support/serve.ts";

export interface PeerInfo {
  readonly name: string;
  readonly label: string;
  /** The package whose version is shown after the label; "" for Node itself. */
  readonly package: string;
  readonly file: string;
  /** Needs the compiled peers/nest. */
  readonly compiled?: boolean;
  /** The scenarios that it serves, beside extra ones. Such a peer takes part in the bars, and elsewhere only when it is named. */
  readonly only?: readonly ScenarioName[];
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
  { name: "fastify-schema", label: "Fastify, schemas", package: "fastify", file: "fastify-schema.ts" },
  { name: "fastify", label: "Fastify", package: "fastify", file: "fastify.ts" },
  { name: "hono", label: "Hono", package: "hono", file: "hono.ts" },
  { name: "h3", label: "h3", package: "h3", file: "h3.ts" },
  { name: "elysia", label: "Elysia on Node", package: "elysia", file: "elysia.ts" },
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

/** The peers of a scenario: the reference service has one twin, all others are served by every peer. */
export function serves(peer: PeerInfo, scenario: ScenarioName): boolean {
  if (peer.only !== undefined) return peer.only.includes(scenario);
  return scenario !== "posts" || peer.name === "tenon" || peer.name === "fastify-schema";
}

export function versionOf(peer: PeerInfo): string {
  if (peer.package === "") return process.versions.node;
  return packageVersion(peer.package);
}

export function packageVersion(name: string): string {
  const file = name === "@tenon/core" ? own : dependency(name);
  return JSON.parse(readFileSync(file, "utf8")).version;
}
