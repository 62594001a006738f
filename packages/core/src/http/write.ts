import type { ServerResponse } from "node:http";
import type { Outgoing } from "../pipeline/outgoing.ts";
import { discard, isBodiless, isStream, toHeaderList } from "./reply-head.ts";

export interface WriteOptions {
  readonly head: boolean;
  readonly close: boolean;
  /** Milliseconds a client may leave what was written unread. */
  readonly stallTimeout: number;
}

/** Writes what an application answered. A stream is handed back opened, for the pump; everything else is done. */
export function write(
  res: ServerResponse,
  outgoing: Outgoing,
  options: WriteOptions,
): AsyncIterator<unknown> | undefined {
  const { body } = outgoing;
  if (res.destroyed) {
    discard(body);
    return undefined;
  }
  const headers = toHeaderList(outgoing, options.head);
  if (options.close) headers.push("connection", "close");
  if (body === null || options.head || isBodiless(outgoing.status)) {
    discard(body);
    writeHead(res, outgoing.status, headers);
    res.end();
    return undefined;
  }
  if (isStream(body)) {
    const iterator = body[Symbol.asyncIterator](); // first, because a stream in use refuses, and that is a 500
    writeHead(res, outgoing.status, headers);
    return iterator;
  }
  writeHead(res, outgoing.status, headers);
  res.end(body);
  if (res.writableLength > 0) res.req.socket.setTimeout(options.stallTimeout);
  return undefined;
}

function writeHead(res: ServerResponse, status: number, headers: ReturnType<typeof toHeaderList>): void {
  res.writeHead(status, headers as (string | string[])[]); // node's type has no room for read-only lists, which it never changes
}
