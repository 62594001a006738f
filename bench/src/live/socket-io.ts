import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "socket.io";

/** With the defaults, but for pings: the others send none in the time of a run. Nothing is validated. */
export async function listen(): Promise<number> {
  const server = createServer();
  const io = new Server(server, { pingInterval: 3_600_000 });
  io.on("connection", (socket) => {
    socket.on("say", (message) => socket.emit("said", message));
    socket.on("publish", (message) => io.emit("published", message));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port; // it listens at a port
}
