import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import type { StartCode } from "../support/errors.ts";

/** In the installed package, and in a checkout. A bundle of an application has left the docs behind. */
const places = ["../../docs/errors.md", "../../../../docs/errors.md"].map((place) => join(import.meta.dirname, place));

/** Where start errors are explained, as a path that an editor opens: `docs/errors.md#bad_route, #bad_handler`. */
export function toErrorsPage(codes: readonly StartCode[]): string {
  const file = [...places.filter((place) => existsSync(place)), "docs/errors.md"][0] as string; // at least the last one
  const short = relative(process.cwd(), file);
  const anchors = [...new Set(codes)].map((code) => `#${code.toLowerCase()}`);
  return `${short.startsWith("..") ? file : short}${anchors.join(", ")}`;
}
