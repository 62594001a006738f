import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parsePattern } from "@tenon/core/internal";
import type { RouteInfo } from "@tenon/core/platform";

/** What an application's package.json says. */
export interface Manifest {
  readonly name: string;
  /** "" when it has none. */
  readonly version: string;
}

/** The manifest of the package that contains the entry point. */
export function readManifest(entryPoint: string = process.argv[1] ?? ""): Manifest {
  const folder = dirname(entryPoint);
  const manifest = readJson(join(folder, "package.json"));
  if (manifest !== undefined)
    return { name: toText(manifest.name) || "application", version: toText(manifest.version) };
  return folder === dirname(folder) ? { name: "application", version: "" } : readManifest(folder);
}

/** Undefined when there is none, or one that is not valid. */
function readJson(file: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return Object(JSON.parse(readFileSync(file, "utf8"))) as Readonly<Record<string, unknown>>; // fields of any type
  } catch {
    return undefined;
  }
}

/** It is printed at a terminal, which obeys control characters. */
function toText(value: unknown): string {
  return typeof value === "string" ? value.replaceAll(/[^\x20-\x7e]/g, "") : "";
}

export interface BannerFacts {
  readonly url: string;
  readonly routes: readonly RouteInfo[];
  /** The path of the docs page; undefined where there is none. */
  readonly docs: string | undefined;
  /** The link that signs the developer in. */
  readonly link: string;
  /** Where data is kept: `{ database: "sqlite data/app.db", cache: "memory" }`. */
  readonly stores: Readonly<Record<string, string>>;
}

/** Printed when an application in development listens: what it is, where it is, and what to try. */
export function toBanner(facts: BannerFacts, { name, version }: Manifest): string {
  const { url, routes, docs, link, stores } = facts;
  const example = findExample(routes, docs);
  const places = Object.entries(Object.groupBy(Object.entries(stores), ([, place]) => place));
  const rows = [
    ["url", url],
    ...(docs === undefined ? [] : [["docs", `${url}${docs}`]]),
    ["devtools", link],
    ["routes", String(routes.length)],
    ...places.map(([place, uses = []], index) => [
      index === 0 ? "stores" : "",
      `${place} (${uses.map(([use]) => toWords(use)).join(", ")})`,
    ]),
    ...(example === undefined ? [] : [["try", `curl ${url}${example}`]]),
  ];
  const width = 2 + Math.max(...rows.map(([label = ""]) => label.length));
  const lines = rows.map(([label = "", text]) => `  ${label.padEnd(width)}${text}`);
  return `\n  ${[name, version].filter((part) => part !== "").join(" ")}\n\n${lines.join("\n")}\n\n`;
}

/** `keyValue` is `key-value` for people. */
function toWords(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Checks for machines: they tell nothing about the application. */
const healthPath = /\/(?:health|healthz|livez|readyz)(?:\/|$)/;

/** Names of streams and downloads, where no contract says what a route returns. */
const streamPath = /\/(?:events|stream|sse|socket|ws|download|downloads|export)(?:\/|$)/;

/** Whether its response ends by itself and is for a terminal: neither a stream, nor a WebSocket, nor a file. */
function isReadable({ path, contract, returns }: RouteInfo): boolean {
  if (contract?.live !== undefined) return false;
  const returned = Object.values(returns);
  return returned.length === 0 ? !streamPath.test(path) : !returned.some((body) => body !== null && "content" in body);
}

/** Whether no middleware refuses a request because of who sends it. A rate limit does not. */
function isOpen({ secured, middlewareContracts }: RouteInfo): boolean {
  const refuses = middlewareContracts.some(
    ({ policy, errors = {} }) => policy !== undefined || 401 in errors || 403 in errors,
  );
  return !secured && !refuses;
}

/** A path that probably responds with 200: open, and without parameters if possible. */
function findExample(routes: readonly RouteInfo[], docs: string | undefined): string | undefined {
  const patterns = routes
    .filter((route) => route.method === "GET" && isOpen(route) && route.path !== docs && isReadable(route))
    .map(({ path }) => parsePattern(path))
    .filter(({ path, wildcard }) => !wildcard && !path.includes("."));
  const own = patterns.filter(({ path }) => !healthPath.test(path));
  const beyondRoot = own.filter(({ path }) => path !== "/");
  const pattern = beyondRoot.find(({ params }) => params.length === 0) ?? beyondRoot[0] ?? own[0] ?? patterns[0];
  return pattern === undefined ? undefined : toExample(pattern);
}

function toExample({ segments, params }: ReturnType<typeof parsePattern>): string {
  const names = new Map(params.map(({ name, index }) => [index, /id$/i.test(name) ? "1" : name]));
  return `/${segments.map((segment, index) => encodeURI(segment ?? String(names.get(index)))).join("/")}`;
}
