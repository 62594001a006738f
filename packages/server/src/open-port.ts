import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import type { ServerLog } from "./options.ts";

/** Opens the port of a server. Errors that follow are logged. */
export async function openPort(server: Server, port: number, host: string, log: ServerLog): Promise<AddressInfo> {
  await once(server.listen({ port, host }), "listening");
  server.on("error", (error) => log.error({ err: error }, "the server failed"));
  return server.address() as AddressInfo; // a TCP server has no other kind of address
}
