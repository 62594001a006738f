import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { type StartCode, StartError } from "../support/errors.ts";
import { readEnvironment } from "./environment.ts";

/** Where the docs are, in the installed package and in a checkout. A bundle of an application does not contain them. */
const places = ["../../docs/errors.md", "../../../../docs/errors.md"].map((place) => join(import.meta.dirname, place));

/** Prints one readable message with its page, and exits with code 1. LOG_LEVEL debug or trace adds the stack. */
export function exitOnStartError(error: unknown): never {
  if (!(error instanceof StartError)) throw error;
  if (error.problems.length === 0) process.exit(1); // a worker has printed them
  const causes = error.problems.flatMap(({ cause }) => (cause instanceof Error ? [`caused by ${cause.stack}`] : []));
  const detail = isDebugging() ? ["", error.stack, ...causes].join("\n") : "";
  const page = toErrorsPage(error.problems.map(({ code }) => code));
  const separator = error.problems.length === 1 ? " " : "\n"; // one problem is one line, for a log
  const text = `Cannot start: ${error.message}${separator}See ${page}${detail}\n`;
  process.stderr.write(text.replaceAll(/[^\P{Cc}\n\t]/gu, "")); // a terminal obeys control characters
  // `tenon dev` shows the source of the causes
  process.getBuiltinModule("node:diagnostics_channel").channel("tenon:start-error").publish(error);
  process.exit(1);
}

/** Where start errors are explained, as a path that an editor opens: `docs/errors.md#bad_route, #bad_handler`. */
function toErrorsPage(codes: readonly StartCode[]): string {
  const file = places.find((place) => existsSync(place)) ?? "docs/errors.md";
  const short = relative(process.cwd(), file);
  const anchors = [...new Set(codes)].map((code) => `#${code.toLowerCase()}`);
  return `${short.startsWith("..") ? file : short}${anchors.join(", ")}`;
}

function isDebugging(): boolean {
  try {
    const { logLevel } = readEnvironment();
    return logLevel === "debug" || logLevel === "trace";
  } catch {
    return false; // the environment itself is invalid
  }
}
