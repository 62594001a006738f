import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Gives a client its time, in milliseconds, when it has not taken all of a reply that is written. */
export function watchStall(res: ServerResponse, timeout: number): void {
  if (res.writableLength === 0) return;
  const { socket } = res.req;
  socket.setTimeout(timeout);
  res.once("finish", () => stopWatching(socket, timeout));
}

/** The client has taken all there was. A half-closed one keeps its deadline. */
export function stopWatching(socket: Socket, timeout: number): void {
  socket.setTimeout(socket.readableEnded ? timeout : 0);
}
