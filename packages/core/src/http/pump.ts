import type { ServerResponse } from "node:http";
import { toChunk } from "../pipeline/stream.ts";
import { stop } from "./reply-head.ts";
import { stopWatching, watchStall } from "./stall.ts";

export interface PumpOptions {
  /** Silent for long, open for ever: it ends when the client has said its last word, and at a stop. */
  readonly eventStream: boolean;
  /** Milliseconds a client may leave what was written unread. */
  readonly stallTimeout: number;
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
  res.once("close", end);
  if (options.eventStream) {
    socket.once("end", end);
    options.endings.add(end);
  }
  try {
    if (options.eventStream) res.flushHeaders();
    while (!ended) {
      const step = await new Promise<IteratorResult<unknown> | undefined>((resolve, reject) => {
        wake = () => resolve(undefined);
        iterator.next().then(resolve, reject);
      });
      if (step === undefined) break;
      if (step.done === true) {
        done = true;
        break;
      }
      const chunk = toChunk(step.value);
      rest -= typeof chunk === "string" ? Buffer.byteLength(chunk) : chunk.byteLength;
      if (rest < 0) throw new RangeError("the stream is longer than its Content-Length");
      if (res.write(chunk) || ended) continue;
      socket.setTimeout(options.stallTimeout);
      await new Promise<void>((resolve) => {
        wake = resolve;
        res.once("drain", resolve);
      });
      stopWatching(socket, options.stallTimeout);
    }
    if (done && length !== undefined && rest > 0) throw new RangeError("the stream is shorter than its Content-Length");
    if (!res.destroyed) {
      res.end();
      watchStall(res, options.stallTimeout);
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
