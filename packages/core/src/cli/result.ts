import { isStream } from "@tenon/server/internal";
import { toJson } from "../body/json.ts";
import { JsonArray } from "../body/json-array.ts";
import { Chunks } from "../body/stream.ts";
import type { Context } from "../request/context.ts";
import type { RawBody } from "../request/raw.ts";
import { isResponse, messageOf, Outgoing, Reply } from "../request/reply.ts";
import { BindError, describeValue, type Issue, toHttpError } from "../support/errors.ts";
import { toFlagName } from "./commands.ts";
import type { Terminal } from "./terminal.ts";

export const exitCodes = Object.freeze({ done: 0, failed: 1, usage: 2 });

/** What a command returned. It is formatted when it is written, because only then the width of the terminal is known. */
class CommandOutgoing extends Outgoing {
  readonly reply: Reply;
  /** Whether it failed because of how it was called. */
  readonly isUsageError: boolean;

  constructor(reply: Reply, isUsageError = false) {
    super(reply.status, null, "");
    this.reply = reply;
    this.isUsageError = isUsageError;
  }
}

/** A web `Response` becomes the stream inside it. */
export function toCommandOutgoing(reply: Reply): CommandOutgoing {
  const { value } = reply;
  if (reply.kind !== "raw" || !isResponse(value as object)) return new CommandOutgoing(reply); // raw values are objects
  const { status, body } = value as Response; // checked by its tag
  return new CommandOutgoing(new Reply(status, body === null ? "empty" : "raw", body));
}

/** The user at the terminal may read the message of any error; its stack is in the log. */
export function toErrorOutgoing(error: unknown, ctx: Context): CommandOutgoing {
  ctx.log.debug({ err: error }, `${ctx.path} failed`);
  const fail = (status: number, message: string, isUsageError = false) =>
    new CommandOutgoing(new Reply(status, "json", { error: message }), isUsageError);
  if (isInterruption(error, ctx.signal)) return fail(500, "");
  if (error instanceof BindError) return fail(400, describeIssues(error, ctx.query("stdin") !== ""), true);
  return fail(toHttpError(error).status, describeError(error));
}

/** One sentence about any thrown value. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `${describeValue(error)} was thrown`;
  if (error.message !== "") return error.message;
  // the error of a refused connection has no message: the reasons are in the errors of its addresses
  return error instanceof AggregateError && error.errors.length > 0 ? describeError(error.errors[0]) : error.name;
}

/** A user who interrupts a command is shown no error. */
function isInterruption(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === "AbortError"));
}

function describeIssues({ message, issues }: BindError, fromStdin: boolean): string {
  if (issues.length === 0) return message;
  return issues.map((issue) => describeIssue(issue, fromStdin)).join("; ");
}

function describeIssue({ in: part, path, keys = path.split("."), rule, message }: Issue, fromStdin: boolean): string {
  const [field = "", ...inner] = keys;
  const flag = [`--${toFlagName(String(field))}`, ...inner].join(".");
  const value = path === "" ? "standard input" : fromStdin ? `${path} in standard input` : flag;
  const subject = part === "params" ? `<${path}>` : value;
  return `${subject}${rule === "schema" ? ":" : ""} ${message}`; // other schemas write whole sentences
}

/** Writes what a command returned, and returns its exit code. */
export async function writeResult(
  terminal: Terminal,
  outgoing: Outgoing,
  json: boolean,
  signal: AbortSignal,
): Promise<number> {
  if (!(outgoing instanceof CommandOutgoing)) throw new Error("the result could not be made"); // a hook failed
  const { reply, isUsageError } = outgoing;
  const { status, kind, value } = reply;
  if (status < 400) {
    if (kind === "raw")
      await writeRaw(terminal, value as RawBody, signal); // toReply made it raw
    else if (kind !== "empty" && json) await terminal.out.write(`${toJson(value)}\n`);
    else if (kind !== "empty") await terminal.print(value);
    return exitCodes.done;
  }
  if (isStream(value)) void new Chunks(value).return(); // it is never read
  await writeError(terminal, messageOf(reply), json, kind === "json" ? value : undefined);
  return isUsageError ? exitCodes.usage : exitCodes.failed;
}

/** A line for people; with `json`, also a document for programs: `value` when it is an object, else the message. */
export async function writeError(terminal: Terminal, message: string, json: boolean, value?: unknown): Promise<void> {
  if (message === "") return; // interrupted
  const document = json ? toJson(typeof value === "object" && value !== null ? value : { error: message }) : "";
  await terminal.complain(message);
  if (json) await terminal.out.write(`${document}\n`);
}

async function writeRaw({ out }: Terminal, body: RawBody, signal: AbortSignal): Promise<void> {
  if (!isStream(body)) {
    await out.write(new Uint8Array(body as Uint8Array | ArrayBuffer)); // toCommandOutgoing has replaced a Response
    return;
  }
  const chunks = new Chunks(body);
  const stop = () => void chunks.return().catch(() => {}); // a silent stream would not notice the interruption
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of chunks) if (!(await out.write(chunk))) return;
    if (body instanceof JsonArray) await out.write("\n");
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
