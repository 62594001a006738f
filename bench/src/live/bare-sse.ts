import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const clients = new Set<ServerResponse>();
let number = 0;

function stream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.write("retry: 1000\n\n");
  clients.add(response);
  response.on("close", () => clients.delete(response));
}

async function publish(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const { text } = JSON.parse(body);
  if (typeof text !== "string" || text.length > 500) {
    response.writeHead(400).end();
    return;
  }
  const block = `id: ${++number}\nevent: published\ndata: ${JSON.stringify({ text })}\n\n`;
  for (const client of clients) client.write(block);
  response.writeHead(204).end();
}

export async function listen(): Promise<number> {
  const server = createServer((request, response) => {
    if (request.url === "/events") stream(response);
    else void publish(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port; // it listens at a port
}
