import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import type { StartCode } from "../errors.ts";

/** In the installed package, and in a checkout. */
const places = ["../../docs/errors.md", "../../../../docs/errors.md"];

/** Where start errors are explained, as a path that an editor opens: `docs/errors.md#bad_route, #bad_handler`. */
export function toErrorsPage(codes: readonly StartCode[]): string {
  const found = places.map((place) => join(import.meta.dirname, place)).find(existsSync);
  const file = found ?? "docs/errors.md"; // a bundle of the application has left the docs behind
  const short = relative(process.cwd(), file);
  const anchors = [...new Set(codes)].map((code) => `#${code.toLowerCase()}`);
  return `${short.startsWith("..") ? file : short}${anchors.join(", ")}`;
}
