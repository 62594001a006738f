import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

/** The server's side of the next connection that a server of this process accepts. */
export function acceptedSocket(): Promise<Socket> {
  return new Promise((resolve) => {
    const note = (message: unknown) => {
      unsubscribe("net.server.socket", note);
      resolve((message as { socket: Socket }).socket); // as node documents it
    };
    subscribe("net.server.socket", note);
  });
}
