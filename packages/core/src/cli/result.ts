import { toJson } from "../body/json.ts";
import { JsonArray } from "../body/json-array.ts";
import { Chunks } from "../body/stream.ts";
import type { Outgoing, RawBody, Reply } from "../reply.ts";
import { describeReply } from "./failure.ts";
import { CommandOutgoing } from "./outgoing.ts";
import type { Terminal } from "./terminal.ts";

export const exitCodes = Object.freeze({ done: 0, failed: 1, usage: 2 });

export interface ResultOptions {
  /** Of the program: it stands before what went wrong. */
  readonly name: string;
  readonly json: boolean;
  readonly signal: AbortSignal;
}

/** Writes what a command gave back, and gives its exit code. */
export async function writeResult(terminal: Terminal, outgoing: Outgoing, options: ResultOptions): Promise<number> {
  if (!(outgoing instanceof CommandOutgoing)) throw new Error("the result could not be made"); // the kernel gave up
  const { reply, isUsageError } = outgoing;
  if (reply.status < 400) {
    await writeValue(terminal, reply, options);
    return exitCodes.done;
  }
  if (isStream(reply.value)) void new Chunks(reply.value).return(); // nobody will read it
  await writeFailure(terminal, describeReply(reply), {
    ...options,
    value: reply.kind === "json" ? reply.value : undefined,
  });
  return isUsageError ? exitCodes.usage : exitCodes.failed;
}

export interface FailureOptions extends Pick<ResultOptions, "name" | "json"> {
  /** What the command answered; JSON shows all of it when it is an object. */
  readonly value?: unknown;
}

/** A line for people, and for programs the same as JSON where they read results. */
export async function writeFailure(terminal: Terminal, message: string, options: FailureOptions): Promise<void> {
  if (message === "") return; // interrupted: whoever did it knows
  const { name, json, value } = options;
  const document = json ? toJson(typeof value === "object" && value !== null ? value : { error: message }) : "";
  await terminal.complain(name, message);
  if (json) await terminal.out.write(`${document}\n`);
}

async function writeValue(terminal: Terminal, reply: Reply, { json, signal }: ResultOptions): Promise<void> {
  const { kind, value } = reply;
  if (kind === "raw")
    await writeRaw(terminal, value as RawBody, signal); // toReply made it raw
  else if (kind !== "empty" && json) await terminal.out.write(`${toJson(value)}\n`);
  else if (kind !== "empty") await terminal.print(value);
}

async function writeRaw({ out }: Terminal, body: RawBody, signal: AbortSignal): Promise<void> {
  if (!isStream(body)) {
    await out.write(new Uint8Array(body as Uint8Array | ArrayBuffer)); // a Response was unpacked before
    return;
  }
  const chunks = new Chunks(body);
  const stop = () => void chunks.return().catch(() => {}); // a stream that is silent would not notice by itself
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of chunks) if (!(await out.write(chunk))) return;
    if (body instanceof JsonArray) await out.write("\n");
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
