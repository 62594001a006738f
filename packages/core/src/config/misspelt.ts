import { findNearest } from "../support/nearest.ts";

/** Variables that are set and not declared, each with the declared one close to it that is not set. */
export function findMisspelt(declared: readonly string[], env: NodeJS.Dict<string>): Map<string, string> {
  const unset = declared.filter((name) => !env[name]);
  const found = new Map<string, string>();
  for (const name of Object.keys(env)) {
    const near = declared.includes(name) ? undefined : findNearest(name, unset, typosIn);
    if (near !== undefined) found.set(name, near);
  }
  return found;
}

/** HOME, which every system sets, is two letters from HOST. */
function typosIn({ length }: string): number {
  return length < 12 ? 1 : 2;
}
