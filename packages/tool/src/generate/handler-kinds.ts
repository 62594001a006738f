import { join } from "node:path";
import { exists } from "../files.ts";
import type { ModuleType } from "../templates.ts";
import { pagesModuleFile } from "./application.ts";

/** What a module can serve: routes that respond with JSON, pages, or commands. */
export type HandlerKind = "routes" | "pages" | "commands";

/**
 * The kinds that an application's entry points serve. Routes and pages have the same paths: with both, the pages need a
 * module of their own.
 */
export function readHandlerKinds(folder: string): ReadonlySet<HandlerKind> {
  const has = (name: string) => exists(join(folder, `src/main.${name}.ts`));
  const kinds = new Set<HandlerKind>();
  if (has("api")) kinds.add("routes");
  if (has("web") && (!has("api") || exists(join(folder, pagesModuleFile)))) kinds.add("pages");
  if (has("cli")) kinds.add("commands");
  return kinds.size === 0 ? kinds.add("routes") : kinds;
}

/** Whether a template's file is for one of these kinds, by its name. Most files are for all of them. */
export function isForKinds(kinds: ReadonlySet<HandlerKind>, type: ModuleType, path: string): boolean {
  const kind = findKind(type, path);
  return kind === undefined || kinds.has(kind);
}

function findKind(type: ModuleType, path: string): HandlerKind | undefined {
  if (path.startsWith("views/") || /\.pages(?:\.test)?\.ts$|\/(?:current-user|require-login)\.ts$/.test(path)) {
    return "pages";
  }
  if (/\.commands(?:\.test)?\.ts$/.test(path)) return "commands";
  // the controller of a plain module has one handler for all kinds
  if (path.startsWith("test/") || (type === "resource" && path.endsWith(".controller.ts"))) return "routes";
  return undefined;
}

/**
 * The kinds as variables of templates. Only pages need a name of a view, which does not always follow from a class. With
 * `split`, modules carry services: the API and the pages, which have the same paths, declare their own classes.
 */
export function toKindsModel(kinds: ReadonlySet<HandlerKind>) {
  const routes = kinds.has("routes");
  const pages = kinds.has("pages");
  return { routes, pages, commands: kinds.has("commands"), pagesOnly: pages && !routes, split: pages && routes };
}
