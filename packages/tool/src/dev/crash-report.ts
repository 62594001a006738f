import { toTerminalText } from "@tenon/devtools/internal";
import { toLocatedError } from "../run/located-error.ts";

const mostCauses = 5;

/**
 * Why a process ended, for its developer: the message, the place with its source, and the frames of the application. The
 * secret of the developer pages is redacted, and control characters are left out, which a terminal obeys.
 */
export function toCrashReport(error: unknown, folder: string, secret?: string): string {
  const blocks: string[] = [];
  let cause = error;
  for (let count = 0; count < mostCauses; count++) {
    blocks.push(`${count === 0 ? "" : "caused by "}${toTerminalText(toLocatedError(cause, folder), folder)}\n`);
    if (!(cause instanceof Error) || cause.cause === undefined || cause.cause === cause) break;
    cause = cause.cause;
  }
  const text = blocks.join("\n").replaceAll(/[^\P{Cc}\n\t]/gu, "");
  return `${secret ? text.replaceAll(secret, "[redacted]") : text}\n`;
}
