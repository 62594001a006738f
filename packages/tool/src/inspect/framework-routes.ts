import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RouteDescription } from "@tenon/core/platform";

/** Tells the routes that a package of the framework serves: docs page, health checks, assets. */
export function createFrameworkCheck(folder: string): (route: RouteDescription) => boolean {
  const own = realpathSync(folder); // an application may be called @tenon/… itself
  const known = new Map<string, boolean>();
  const check = (path: string): boolean => {
    const found = known.get(path);
    if (found !== undefined) return found;
    const name = path === own ? "" : readName(path);
    const isFramework =
      name === undefined ? dirname(path) !== path && check(dirname(path)) : name.startsWith("@tenon/");
    known.set(path, isFramework);
    return isFramework;
  };
  return ({ file }) => file !== undefined && check(dirname(file));
}

/** Of the package in this folder; undefined where there is none. */
function readName(folder: string): string | undefined {
  try {
    return String(Object(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).name ?? "");
  } catch {
    return undefined;
  }
}
