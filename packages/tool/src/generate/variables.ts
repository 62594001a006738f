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
  const note = `has ${variables.map(({ name }) => name).join(variables.length > 2 ? ", " : " and ")}`;
  const [example, compose] = [".env.example", "compose.yaml"].map((path) => {
    const before = readIfPresent(folder, path);
    const isUnknown = before !== undefined && !variables.some(({ name }) => new RegExp(`\\b${name}\\b`).test(before));
    return isUnknown ? [{ path, before, note }] : [];
  });
  const lines = variables.map((variable) => variable.example).join("");
  return [
    ...(example ?? []).map((change) => ({ ...change, after: `${change.before}${lines}` })),
    ...(compose ?? []).map((change) => addToCompose(change, variables)),
  ];
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
