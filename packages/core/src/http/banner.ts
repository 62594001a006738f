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

/** The first lines of an application in development: what it is, where it is, and what to try. */
export function toBanner(url: string, routes: readonly RouteInfo[], { name, version }: Manifest): string {
  const docs = findDocs(routes);
  const example = findExample(routes);
  const rows = [
    ["url", url],
    ...(docs === undefined ? [] : [["docs", `${url}${docs}`]]),
    ["routes", String(routes.length)],
    ...(example === undefined ? [] : [["try", `curl ${url}${example}`]]),
  ];
  const lines = rows.map(([label = "", text]) => `  ${label.padEnd(8)}${text}`);
  return `\n  ${[name, version].filter((part) => part !== "").join(" ")}\n\n${lines.join("\n")}\n\n`;
}

/** The path of the docs page: a `GET` route that is called `docs`. */
export function findDocs(routes: readonly RouteInfo[]): string | undefined {
  return routes.find(({ method, path }) => method === "GET" && /(?:^|\/)docs$/.test(path) && !hasParameter(path))?.path;
}

/** A path that probably responds with 200: without guards, and without parameters if possible. */
function findExample(routes: readonly RouteInfo[]): string | undefined {
  const docs = findDocs(routes);
  const paths = routes
    .filter(
      ({ method, path, guards }) => method === "GET" && guards.length === 0 && !/[*.]/.test(path) && path !== docs,
    )
    .map(({ path }) => path);
  const path =
    paths.find((path) => path !== "/" && !hasParameter(path)) ?? paths.find((path) => path !== "/") ?? paths[0];
  return path?.replaceAll(/:(\w+)/g, (_, name: string) => (/id$/i.test(name) ? "1" : name));
}

function hasParameter(path: string): boolean {
  return /[:*]/.test(path);
}
