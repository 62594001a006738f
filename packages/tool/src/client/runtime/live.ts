import { ApiError } from "./errors.ts";
import type { Operation } from "./operation.ts";

/** Sent instead of events that are no longer in the buffer of the server: read the state again. */
export interface LiveReset {
  readonly event: "reset";
  readonly data: { readonly topic: string };
  readonly id: string;
}

/** A message that the server has rejected. */
export interface LiveError {
  readonly event: "error";
  readonly data: {
    /** The event of the rejected message. */
    readonly event?: string;
    readonly status: number;
    readonly error: string;
    readonly issues?: readonly { readonly path: string; readonly rule: string; readonly message: string }[];
  };
  readonly id: string;
}

/** A typed WebSocket, across connections. Leaving the loop over its messages closes it. */
export interface LiveSocket<Message, Sends> extends AsyncIterable<Message> {
  /** Sends a message, at most once; while there is no connection, it waits for the next one. */
  send<Name extends keyof Sends & string>(event: Name, data: Sends[Name]): void;
  close(): void;
}

const shortestPause = 1000;
const longestPause = 30_000;

/** Milliseconds: longer after each attempt that failed, and random, so that clients do not reconnect all at once. */
export function toPause(failures: number, shortest = shortestPause): number {
  const [random = 0] = crypto.getRandomValues(new Uint8Array(1));
  return Math.min(longestPause, shortest * 2 ** Math.min(failures, 10)) * (0.5 + random / 512);
}

/** Rejects when the signal is aborted. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", end, { once: true });
    if (signal?.aborted === true) end();
  });
}

export async function refuse(operation: Operation, response: Response): Promise<never> {
  const { status, headers } = response;
  const text = await response.text();
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {} // not every server sends JSON
  throw new ApiError(operation.path.join("."), { status, body, headers });
}
