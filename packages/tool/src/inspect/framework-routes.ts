import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import type { RouteDescription } from "@tenon/core/platform";
import { readManifest } from "../files.ts";

/** Tells the routes that a package of the framework serves: docs page, health checks, assets. */
export function createFrameworkCheck(folder: string): (route: RouteDescription) => boolean {
  const own = realpathSync(folder); // an application may be called @tenon/… itself
  const known = new Map<string, boolean>();
  const check = (path: string): boolean => {
    const found = known.get(path);
    if (found !== undefined) return found;
    const manifest = path === own ? {} : readManifest(path);
    const isFramework =
      manifest === undefined
        ? dirname(path) !== path && check(dirname(path))
        : String(manifest.name).startsWith("@tenon/");
    known.set(path, isFramework);
    return isFramework;
  };
  return ({ file }) => file !== undefined && check(dirname(file));
}
