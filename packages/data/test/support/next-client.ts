import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

/** The socket of the next connection that this process opens. It is not connected yet. */
export async function nextClient(): Promise<Socket> {
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const take = (message: unknown) => resolve((message as { readonly socket: Socket }).socket); // what the channel carries
  subscribe("net.client.socket", take);
  try {
    return await promise;
  } finally {
    unsubscribe("net.client.socket", take);
  }
}
