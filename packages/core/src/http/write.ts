import type { ServerResponse } from "node:http";
import type { HeaderValue } from "../context/response-headers.ts";
import type { Outgoing } from "../pipeline/outgoing.ts";

export interface WriteOptions {
  readonly head: boolean;
  readonly close: boolean;
  /** Milliseconds a client may leave what was written unread. */
  readonly stallTimeout: number;
  /** Called when the stream must end before its time: at a stop. Returns how to take the call back. */
  readonly onStop: (end: () => void) => () => void;
  readonly onEarlyEnd: () => void;
  readonly onStreamError: (error: unknown) => void;
}

/** The one place that writes to a socket what an application answered. */
export function write(res: ServerResponse, outgoing: Outgoing, options: WriteOptions): void {
  const { status, body } = outgoing;
  const headers: Record<string, HeaderValue> = {};
  const { type } = outgoing;
  const extra = outgoing.extraHeaders();
  if (extra !== undefined) for (const [name, value] of extra) headers[name] = value;
  if (type !== "") headers["content-type"] = type;
  if (options.close) headers.connection = "close";

  const bodiless = status === 204 || status === 304;
  if (bodiless) {
    delete headers["content-type"];
    delete headers["content-length"];
  } else if (body === null) headers["content-length"] ??= "0";
  else if (typeof body === "string") headers["content-length"] = String(Buffer.byteLength(body));
  else if (body instanceof Uint8Array) headers["content-length"] = String(body.byteLength);

  // node's type has no room for read-only lists, which it never changes
  res.writeHead(status, headers as Record<string, string | string[]>);
  if (body === null || bodiless || options.head) {
    if (isStream(body)) discard(body);
    res.end();
    return;
  }
  if (isStream(body)) {
    void pump(res, body, options);
    return;
  }
  res.end(body);
  if (res.writableLength > 0) res.socket?.setTimeout(options.stallTimeout);
}

function isStream(body: Outgoing["body"]): body is AsyncIterable<unknown> {
  return body !== null && typeof body === "object" && Symbol.asyncIterator in body;
}

function discard(stream: AsyncIterable<unknown>): void {
  Promise.resolve(stream[Symbol.asyncIterator]().return?.()).catch(() => {});
}

/** Writes chunk by chunk, no faster than the client reads, and stops when it is gone. */
async function pump(res: ServerResponse, stream: AsyncIterable<unknown>, options: WriteOptions): Promise<void> {
  const iterator = stream[Symbol.asyncIterator]();
  const eventStream = String(res.getHeader("content-type") ?? "").startsWith("text/event-stream");
  let ended = res.destroyed;
  let wake = () => {};
  const end = () => {
    ended = true;
    wake();
  };
  res.once("close", end);
  const forget = eventStream ? options.onStop(end) : () => {};
  try {
    if (eventStream) res.flushHeaders();
    while (!ended) {
      const step = await new Promise<IteratorResult<unknown> | undefined>((resolve, reject) => {
        wake = () => resolve(undefined);
        iterator.next().then(resolve, reject);
      });
      if (step === undefined || step.done === true) break;
      if (res.write(step.value) || ended) continue;
      res.socket?.setTimeout(options.stallTimeout);
      await new Promise<void>((resolve) => {
        wake = resolve;
        res.once("drain", resolve);
      });
      res.socket?.setTimeout(0);
    }
    if (!res.destroyed) res.end();
  } catch (error) {
    options.onStreamError(error);
    res.destroy(); // the head is out: a cut connection is the only way left to say that the body is not whole
  } finally {
    forget();
    if (ended) {
      options.onEarlyEnd();
      Promise.resolve(iterator.return?.()).catch(() => {});
    }
  }
}
