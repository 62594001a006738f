import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RouteInfo } from "../table.ts";

/** What an application's package.json says. */
export interface Manifest {
  readonly name: string;
  /** "" when it has none. */
  readonly version: string;
}

/** Of the package that the entry point is in. */
export function readManifest(entryPoint: string = process.argv[1] ?? ""): Manifest {
  for (let folder = dirname(entryPoint); ; folder = dirname(folder)) {
    const manifest = readJson(join(folder, "package.json"));
    if (manifest !== undefined)
      return { name: toText(manifest.name) || "application", version: toText(manifest.version) };
    if (folder === dirname(folder)) return { name: "application", version: "" };
  }
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
  /** The address of the developer tools; undefined where there are none. */
  readonly devtools: string | undefined;
  /** Where data is kept: `{ database: "sqlite data/app.db", cache: "memory" }`. */
  readonly stores: Readonly<Record<string, string>>;
}

/** The first lines of an application in development: what it is, where it is, and what to try. */
export function toBanner({ url, routes, docs, devtools, stores }: BannerFacts, { name, version }: Manifest): string {
  const example = findExample(routes, docs);
  const places = Object.entries(Object.groupBy(Object.entries(stores), ([, place]) => place));
  const rows = [
    ["url", url],
    ...(docs === undefined ? [] : [["docs", `${url}${docs}`]]),
    ...(devtools === undefined ? [] : [["devtools", devtools]]),
    ["routes", String(routes.length)],
    ...places.map(([place, uses = []], index) => [
      index === 0 ? "stores" : "",
      `${place} (${uses.map(([use]) => toWords(use)).join(", ")})`,
    ]),
    ...(example === undefined ? [] : [["try", `curl ${url}${example}`]]),
  ];
  const width = devtools === undefined ? 8 : 10; // two more than the longest label
  const lines = rows.map(([label = "", text]) => `  ${label.padEnd(width)}${text}`);
  return `\n  ${[name, version].filter((part) => part !== "").join(" ")}\n\n${lines.join("\n")}\n\n`;
}

/** `keyValue` is `key-value` for people. */
function toWords(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Checks for machines: they tell nothing about the application. */
const healthPath = /\/(?:health|healthz|livez|readyz)(?:\/|$)/;

/** A path that probably responds with 200: without guards, and without parameters if possible. */
function findExample(routes: readonly RouteInfo[], docs: string | undefined): string | undefined {
  const paths = routes
    .filter(
      ({ method, path, guards }) => method === "GET" && guards.length === 0 && !/[*.]/.test(path) && path !== docs,
    )
    .map(({ path }) => path);
  const own = paths.filter((path) => !healthPath.test(path));
  const path =
    own.find((path) => path !== "/" && !hasParameter(path)) ?? own.find((path) => path !== "/") ?? own[0] ?? paths[0];
  return path?.replaceAll(/:(\w+)/g, (_, name: string) => (/id$/i.test(name) ? "1" : name));
}

function hasParameter(path: string): boolean {
  return /[:*]/.test(path);
}
