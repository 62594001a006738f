import { setTimeout as wait } from "node:timers/promises";
import type { TestHttpApp } from "@tenon/core/testing";
import { toTarget } from "../fuzzed-request.ts";
import type { ActorHeaders, Operation } from "../operation.ts";
import type { Actor } from "./actors.ts";
import type { Prepared } from "./step.ts";

/** An event stream or a socket of an actor, with all that it has received. */
export interface LiveConnection {
  readonly isOpen: boolean;
  /** Zero for a socket that was refused: its client does not show the status. */
  readonly status: number;
  readonly text: string;
  say(message: string): void;
  close(): void;
}

/** A port is opened only for sockets, and only for the first of them. */
const urls = new WeakMap<TestHttpApp, Promise<string>>();

export async function connect(
  app: TestHttpApp,
  actor: Actor,
  operation: Operation,
  { request }: Prepared,
): Promise<LiveConnection> {
  const headers = await actor.headersFor(operation);
  const open = operation.live?.kind === "socket" ? openSocket : openStream;
  return open(app, toTarget(operation, request), headers);
}

async function openStream(app: TestHttpApp, target: string, headers: ActorHeaders): Promise<LiveConnection> {
  const controller = new AbortController();
  const response = await app.request("GET", target, {
    headers: { ...headers, accept: "text/event-stream" },
    signal: controller.signal,
  });
  const isOpen = response.ok;
  const received: string[] = isOpen ? [] : [await response.text()];
  if (isOpen) void collect(response, received);
  return {
    isOpen,
    status: response.status,
    get text() {
      return received.join("");
    },
    say: () => {},
    close: () => controller.abort(),
  };
}

async function openSocket(app: TestHttpApp, target: string, headers: ActorHeaders): Promise<LiveConnection> {
  const url = urls.get(app) ?? app.listen({ port: 0, signals: false }).then((one) => one.url.replace("http", "ws"));
  urls.set(app, url);
  const received: string[] = [];
  const socket = new WebSocket(`${await url}${target}`, { headers });
  socket.addEventListener("message", ({ data }) => received.push(String(data)));
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.addEventListener("open", () => resolve(true));
    socket.addEventListener("error", () => resolve(false));
    socket.addEventListener("close", () => resolve(false));
  });
  return {
    isOpen,
    status: isOpen ? 101 : 0,
    get text() {
      return received.join("\n");
    },
    say: (message) => socket.send(message),
    close: () => socket.close(),
  };
}

/** A stream that is closed fails its reader. */
async function collect(response: Response, received: string[]): Promise<void> {
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) received.push(decoder.decode(chunk as Uint8Array, { stream: true })); // bytes, by fetch
  } catch {
    // closed by the attack that has opened it
  }
}

/** Whether a connection receives a text soon: turns are counted, so that a slow machine has as many of them. */
export async function receives(connection: LiveConnection, text: string, turns = 100): Promise<boolean> {
  for (let turn = 0; turn < turns; turn++) {
    if (connection.text.includes(text)) return true;
    await wait(5);
  }
  return connection.text.includes(text);
}
