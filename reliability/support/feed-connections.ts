import { get } from "node:http";
import { WebSocket } from "ws";
import type { FeedMessage } from "./feed-record.ts";

/** A connection to the feed. */
export interface FeedConnection {
  /** Resolves when it has ended, to the status of the response if it was refused. */
  readonly ended: Promise<number | undefined>;
  leave(): void;
}

export type OpenFeed = (url: string, lastEventId: string, onMessage: (message: FeedMessage) => void) => FeedConnection;

/** Without `fetch` and `EventSource`, so that many clients leave most of the machine to the instances. */
export const openStream: OpenFeed = (url, lastEventId, onMessage) => {
  let isOpen = true;
  let status: number | undefined;
  const headers = lastEventId === "" ? {} : { "last-event-id": lastEventId };
  const request = get(`${url}/stream`, { agent: false, headers }, (response) => {
    if (response.statusCode !== 200) status = response.statusCode;
    let rest = "";
    response.setEncoding("utf8").on("error", () => {});
    response.on("data", (text: string) => {
      rest += text;
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
        const message = parseBlock(rest.slice(0, end));
        rest = rest.slice(end + 2);
        if (isOpen && message !== undefined) onMessage(message);
      }
    });
  });
  request.on("error", () => {});
  return {
    ended: new Promise((resolve) => request.once("close", () => resolve(status))),
    leave: () => {
      isOpen = false;
      request.destroy();
    },
  };
};

/** Undefined for a block that does not move the client: a heartbeat, or the reason for an end. */
function parseBlock(block: string): FeedMessage | undefined {
  const fields = new Map(
    block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
  );
  const [id, data] = [fields.get("id"), fields.get("data")];
  if (id === undefined) return undefined;
  return { id, event: fields.get("event"), data: data === undefined ? undefined : JSON.parse(data) };
}

export const openSocket: OpenFeed = (url, lastEventId, onMessage) => {
  let isOpen = true;
  const ended = Promise.withResolvers<number | undefined>();
  const socket = new WebSocket(`${url.replace("http", "ws")}/socket?lastEventId=${lastEventId}`);
  socket.on("error", () => {}).once("close", () => ended.resolve(undefined));
  socket.on("unexpected-response", (request, response) => {
    ended.resolve(response.statusCode);
    request.destroy(); // no `close` follows
  });
  socket.on("message", (data) => {
    if (isOpen) onMessage(JSON.parse(String(data)) as FeedMessage); // as docs/live.md describes it
  });
  return {
    ended: ended.promise,
    leave: () => {
      isOpen = false;
      socket.terminate();
    },
  };
};
