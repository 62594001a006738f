import type { Context } from "@tenon/core";
import { parseWeights } from "@tenon/core/platform";

interface Preference {
  readonly weight: number;
  /** How exactly the header names the type: 0 for not at all, 3 for by its full name. */
  readonly precision: number;
}

/** Whether this request gets its answer as JSON: for handlers that lead a browser elsewhere and tell other clients why. */
export function wantsJson(ctx: Context): boolean {
  return prefersJson(ctx.header("accept"));
}

/** Whether a client wants JSON rather than a page. Whoever has no wish gets the page, and so does a browser. */
export function prefersJson(accept: string): boolean {
  if (!accept.toLowerCase().includes("json")) return false; // nearly all requests
  const weights = parseWeights(accept);
  const json = preferenceOf("application", "json", weights);
  const html = preferenceOf("text", "html", weights);
  if (json.weight !== html.weight) return json.weight > html.weight;
  return json.weight > 0 && json.precision > html.precision; // "application/json, */*" names it and means it
}

/** The most exact name decides, whatever stands before or after it. */
function preferenceOf(type: string, subtype: string, weights: ReadonlyMap<string, number>): Preference {
  const names = ["*/*", `${type}/*`, `${type}/${subtype}`];
  const index = names.findLastIndex((name) => weights.has(name));
  return { weight: weights.get(names[index] ?? "") ?? 0, precision: index + 1 };
}
