import { join } from "node:path";
import { exists } from "./files.ts";
import type { ModuleType } from "./templates.ts";

/** What a module is reached through: routes that answer with JSON, pages, or commands. */
export type Part = "routes" | "pages" | "commands";

/** Those that the entry points of an application serve. Routes and pages have the same paths: where both could be, routes. */
export function readParts(folder: string): ReadonlySet<Part> {
  const has = (name: string) => exists(join(folder, `src/main.${name}.ts`));
  const parts = new Set<Part>();
  if (has("api")) parts.add("routes");
  else if (has("web")) parts.add("pages");
  if (has("cli")) parts.add("commands");
  return parts.size === 0 ? parts.add("routes") : parts;
}

/** Whether a file of a template is for one of these parts. Its name says which; most are for all. */
export function isFor(parts: ReadonlySet<Part>, type: ModuleType, path: string): boolean {
  const part = findPart(type, path);
  return part === undefined || parts.has(part);
}

function findPart(type: ModuleType, path: string): Part | undefined {
  if (path.startsWith("views/") || /\.pages(?:\.test)?\.ts$/.test(path)) return "pages";
  if (/\.commands(?:\.test)?\.ts$/.test(path)) return "commands";
  // the controller of a plain module has one handler for all
  if (path.startsWith("test/") || (type === "resource" && path.endsWith(".controller.ts"))) return "routes";
  return undefined;
}
