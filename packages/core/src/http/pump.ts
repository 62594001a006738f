import type { ServerResponse } from "node:http";
import { toChunk } from "../pipeline/stream.ts";
import { stop } from "./reply-head.ts";
import type { Unread } from "./unread.ts";

export interface PumpOptions {
  /** Silent for long, open for ever: it ends when the client has said its last word, and at a stop. */
  readonly eventStream: boolean;
  readonly unread: Unread;
  /** How to end each event stream that is open. */
  readonly endings: Set<() => void>;
  /** The client is gone, or the stream was ended before its time. */
  readonly onEarlyEnd: () => void;
  readonly onError: (error: unknown) => void;
}

/** Writes chunk by chunk, no faster than the client reads, and stops when it is gone. */
export async function pump(
  res: ServerResponse,
  iterator: AsyncIterator<unknown>,
  length: number | undefined,
  options: PumpOptions,
): Promise<void> {
  const { socket } = res.req;
  let rest = length ?? Number.POSITIVE_INFINITY;
  let ended = res.destroyed;
  let done = false;
  let wake = () => {};
  const end = () => {
    ended = true;
    wake();
  };
  const write = (value: unknown): boolean => {
    const chunk = toChunk(value);
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    options.unread.check(bytes.byteLength);
    rest -= bytes.byteLength;
    if (rest < 0) throw new RangeError("the stream is longer than its Content-Length");
    return res.write(bytes);
  };
  res.once("close", end);
  if (options.eventStream) {
    socket.once("end", end);
    options.endings.add(end);
  }
  try {
    if (options.eventStream) res.flushHeaders();
    while (!ended) {
      // the chunk is no variable of this function: the wait below would keep it in memory a second time
      const hasRoom = await new Promise<boolean>((resolve, reject) => {
        wake = () => resolve(true);
        iterator
          .next()
          .then((step) => {
            if (!ended) done = step.done === true;
            return ended || done || write(step.value);
          })
          .then(resolve, reject);
      });
      if (done || ended) break;
      if (hasRoom) continue;
      options.unread.hold(res);
      await new Promise<void>((resolve) => {
        wake = resolve;
        res.once("drain", resolve);
      });
      options.unread.release(socket);
    }
    if (done && length !== undefined && rest > 0) throw new RangeError("the stream is shorter than its Content-Length");
    if (!res.destroyed) {
      res.end();
      options.unread.watch(res);
    }
  } catch (error) {
    options.onError(error);
    res.destroy(); // the head is out: a cut connection is the only way left to say that the body is not whole
  } finally {
    socket.off("end", end);
    options.endings.delete(end);
    if (!done) {
      options.onEarlyEnd();
      void stop(() => iterator);
    }
  }
}
