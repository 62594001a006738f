import { readIfPresent } from "./application.ts";
import type { Change, Wiring } from "./edit/changes.ts";

/** A variable of the environment that a generator adds. */
export interface Variable {
  readonly name: string;
  /** The lines of `.env.example`. */
  readonly example: string;
  /** The comment in `compose.yaml`. */
  readonly comment: string;
}

/** Names the variables in the files for deployment. Those that a file has already are left alone. */
export function declareVariables(folder: string, variables: readonly Variable[]): Wiring[] {
  return [".env.example", "compose.yaml"].flatMap((path): Wiring[] => {
    const before = readIfPresent(folder, path);
    const added = variables.filter(({ name }) => before !== undefined && !new RegExp(`\\b${name}\\b`).test(before));
    if (before === undefined || added.length === 0) return [];
    const note = `has ${added.map(({ name }) => name).join(added.length > 2 ? ", " : " and ")}`;
    if (path === "compose.yaml") return [addToCompose({ path, before, note }, added)];
    return [{ path, before, after: `${before}${added.map(({ example }) => example).join("")}`, note }];
  });
}

/** After the only REDIS_URL, which the template has among the variables of the application. */
function addToCompose(
  change: Omit<Change, "after"> & { readonly before: string },
  variables: readonly Variable[],
): Wiring {
  const [place, second] = change.before.matchAll(/^( +)REDIS_URL: .*\n/gm);
  const lines = variables.map(({ name, comment }) => `${name}: \${${name}:-} # ${comment}\n`);
  if (place === undefined || second !== undefined) {
    const indented = lines.map((line) => `  ${line}`).join("");
    return { byHand: `\n${change.path} is unchanged. Add to the environment of the application:\n${indented}` };
  }
  const [line, indent = ""] = place;
  const end = place.index + line.length;
  const added = lines.map((text) => `${indent}${text}`).join("");
  return { ...change, after: `${change.before.slice(0, end)}${added}${change.before.slice(end)}` };
}
