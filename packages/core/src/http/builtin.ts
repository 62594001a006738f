import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import type { Log } from "../log/log.ts";

/**
 * Not by `import`, which reads every export of node:http, `WebSocket` included, and so loads all of Node's fetch: a
 * tenth of the start time of a small application. What is not used is not loaded.
 */
export const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** Opens the port of a server. Errors that follow are logged. */
export async function openPort(server: Server, port: number, host: string, log: Log): Promise<AddressInfo> {
  await once(server.listen({ port, host }), "listening");
  server.on("error", (error) => log.error({ err: error }, "the server failed"));
  return server.address() as AddressInfo; // a TCP server has no other kind of address
}
