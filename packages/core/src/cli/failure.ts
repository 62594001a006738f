import type { Context } from "../context.ts";
import { BindError, describeValue, HttpError, type Issue } from "../errors.ts";
import { Reply } from "../reply.ts";
import { toFlagName } from "./flags.ts";
import { CommandOutgoing } from "./outgoing.ts";

/** What was thrown, for somebody at a terminal: the message of any error is theirs to read, its stack is in the log. */
export function toFailure(error: unknown, ctx: Context): CommandOutgoing {
  ctx.log.debug({ err: error }, `${ctx.path} failed`);
  if (isInterruption(error, ctx.signal)) return new CommandOutgoing(failed(500, ""));
  if (error instanceof BindError) {
    const fromStdin = ctx.query("stdin") !== "";
    return new CommandOutgoing(failed(400, describeIssues(error, fromStdin)), { isUsageError: true });
  }
  return new CommandOutgoing(failed(error instanceof HttpError ? error.status : 500, describeError(error)));
}

/** One sentence about anything that was thrown. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `${describeValue(error)} was thrown`;
  if (error.message !== "") return error.message;
  // a refused connection says everything in the errors of its addresses
  return error instanceof AggregateError && error.errors.length > 0 ? describeError(error.errors[0]) : error.name;
}

/** Why a reply of a status from 400 on failed. */
export function describeReply({ status, value }: Reply): string {
  if (typeof value === "string") return value;
  if (typeof value === "object" && value !== null && "error" in value && typeof value.error === "string") {
    return value.error;
  }
  return `failed with status ${status}`;
}

function failed(status: number, error: string): Reply {
  return new Reply(status, "json", { error });
}

/** Whoever interrupts a command needs no error that says so. */
function isInterruption(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === "AbortError"));
}

function describeIssues({ message, issues }: BindError, fromStdin: boolean): string {
  if (issues.length === 0) return message;
  return issues.map((issue) => describeIssue(issue, fromStdin)).join("; ");
}

function describeIssue({ path, keys = path.split("."), rule, message }: Issue, fromStdin: boolean): string {
  const [field = "", ...inner] = keys;
  const flag = [`--${toFlagName(String(field))}`, ...inner].join(".");
  const subject = path === "" ? "standard input" : fromStdin ? `${path} in standard input` : flag;
  return `${subject}${rule === "schema" ? ":" : ""} ${message}`; // other schemas write whole sentences
}
