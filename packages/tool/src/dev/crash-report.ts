import { findHints, type Place, readExcerpt, showPlace, toCodeFrame } from "@tenon/core/internal";
import { type Failure, toFailure } from "../run/failure.ts";

/** Lines before and after a place. */
const around = 2;
const mostCauses = 5;
const mostFrames = 8;

/**
 * Why a process ended, for its developer: the message, the place with its source, and the frames of the application. The
 * secret of the developer pages is redacted, and control characters are left out, which a terminal obeys.
 */
export function toCrashReport(error: unknown, folder: string, secret?: string): string {
  const blocks: string[] = [];
  let cause = error;
  for (let count = 0; count < mostCauses; count++) {
    blocks.push(describe(toFailure(cause, folder), folder, count === 0 ? "" : "caused by "));
    if (!(cause instanceof Error) || cause.cause === undefined || cause.cause === cause) break;
    cause = cause.cause;
  }
  const text = blocks.join("\n").replaceAll(/[^\P{Cc}\n\t]/gu, "");
  return `${secret ? text.replaceAll(secret, "[redacted]") : text}\n`;
}

function describe({ message, place, frames }: Failure, folder: string, prefix: string): string {
  const title = `${prefix}${message}\n`;
  const excerpt = place === undefined ? undefined : readExcerpt(place, around);
  const hints = findHints({ text: message, source: excerpt?.lines.map(({ text }) => text).join("\n") ?? "" });
  const rest = frames.filter((frame) => place === undefined || !isSamePlace(frame, place)).slice(0, mostFrames);
  return [
    title,
    ...(place === undefined ? [] : [`  ${showPlace(place, folder)}\n`]),
    ...(excerpt === undefined ? [] : [`${toCodeFrame(excerpt, place?.column).replaceAll(/^/gm, "  ")}\n`]),
    ...hints.map((hint) => `  hint: ${hint}\n`),
    ...rest.map((frame) => `  at ${frame.name === "" ? "" : `${frame.name} `}${showPlace(frame, folder)}\n`),
  ].join("\n");
}

function isSamePlace(one: Place, other: Place): boolean {
  return one.file === other.file && one.line === other.line && one.column === other.column;
}
