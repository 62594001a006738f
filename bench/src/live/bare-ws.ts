import { once } from "node:events";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import type { WebSocket } from "ws";

/** The copy that Tenon uses: that of Socket.IO, which is installed here, has another version. */
const { WebSocketServer } = createRequire(import.meta.resolve("@tenon/live"))("ws") as typeof import("ws");

/** What an application would check by hand. */
function parse(data: Buffer): { readonly event: string; readonly text: string } | undefined {
  try {
    const { event, data: message } = JSON.parse(data.toString());
    const isMessage = typeof event === "string" && typeof message?.text === "string" && message.text.length <= 500;
    return isMessage ? { event, text: message.text } : undefined;
  } catch {
    return undefined;
  }
}

export async function listen(): Promise<number> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", maxPayload: 65_536, perMessageDeflate: false });
  server.on("connection", (socket: WebSocket, request) => {
    if (request.url === "/raw") {
      socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary }));
      return;
    }
    socket.on("message", (data) => {
      const message = parse(data as Buffer); // the default of `ws`
      if (message === undefined) socket.close(1008);
      else if (message.event === "say") socket.send(JSON.stringify({ event: "said", data: { text: message.text } }));
      else {
        const published = JSON.stringify({ event: "published", data: { text: message.text } });
        for (const client of server.clients) client.send(published);
      }
    });
  });
  await once(server, "listening");
  return (server.address() as AddressInfo).port; // it listens at a port
}
