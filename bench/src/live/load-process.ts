// `node src/live/load-process.ts`: the clients of all servers, driven by messages of its parent.
import { connect } from "node:net";
import { type Entrant, entrantOf, text } from "./entrants.ts";
import { RawClient, toFrame } from "./raw-client.ts";

export type LoadCommand =
  | { readonly type: "connect"; readonly entrant: string; readonly port: number; readonly count: number }
  | { readonly type: "run"; readonly entrant: string; readonly milliseconds: number };

/** What one slice of load has delivered. */
export interface Slice {
  /** Echoes, or messages that arrived at a client. */
  readonly messages: number;
  readonly seconds: number;
}

interface Group {
  readonly entrant: Entrant;
  readonly port: number;
  readonly clients: readonly RawClient[];
}

const groups = new Map<string, Group>();
const atOnce = 50;

async function openAll({ path, protocol, server }: Entrant, port: number, count: number): Promise<RawClient[]> {
  const isEvents = protocol === "sse";
  const options = {
    port,
    path,
    kind: isEvents ? ("events" as const) : ("socket" as const),
    hello: protocol === "socket.io" ? toFrame("40") : undefined, // joins the default namespace
    greetings: protocol === "socket.io" ? 2 : Number(isEvents) + Number(server === "tenon"), // Tenon tells the position
  };
  const clients: RawClient[] = [];
  while (clients.length < count) {
    const missing = Math.min(atOnce, count - clients.length);
    clients.push(...(await Promise.all(Array.from({ length: missing }, () => RawClient.open(options)))));
  }
  return clients;
}

function toMessage({ protocol }: Entrant, event: string): Buffer {
  return toFrame(
    protocol === "socket.io" ? `42${JSON.stringify([event, { text }])}` : JSON.stringify({ event, data: { text } }),
  );
}

/** Every client sends a message, waits for the response, and sends the next. */
async function runEcho({ entrant, clients }: Group, milliseconds: number): Promise<Slice> {
  const message = toMessage(entrant, "say");
  const begin = performance.now();
  let messages = 0;
  let isOver = false;
  setTimeout(() => {
    isOver = true;
  }, milliseconds);
  await Promise.all(
    clients.map(
      (client) =>
        new Promise<void>((resolve) => {
          client.onMessages((count) => {
            messages += count;
            if (isOver) resolve();
            else client.send(message);
          });
          client.send(message);
        }),
    ),
  );
  return { messages, seconds: (performance.now() - begin) / 1000 };
}

/** One message is published after the other, each when the one before has arrived at all clients. */
async function runFanOut(group: Group, milliseconds: number): Promise<Slice> {
  const { clients } = group;
  const { publish, close } = await openPublisher(group);
  let messages = 0;
  let wanted = 0;
  let onAll = () => {};
  for (const client of clients) {
    client.onMessages((count) => {
      messages += count;
      if (messages >= wanted) onAll();
    });
  }
  const begin = performance.now();
  while (performance.now() - begin < milliseconds) {
    wanted += clients.length;
    const { promise, resolve } = Promise.withResolvers<void>();
    onAll = resolve;
    await Promise.all([publish(), promise]);
  }
  const seconds = (performance.now() - begin) / 1000;
  close();
  return { messages, seconds };
}

interface Publisher {
  publish(): void | Promise<void>;
  close(): void;
}

/** The first client of a socket publishes; clients of event streams cannot. */
async function openPublisher({ entrant, port, clients: [first] }: Group): Promise<Publisher> {
  if (entrant.protocol !== "sse") {
    const message = toMessage(entrant, "publish");
    return { publish: () => first?.send(message), close: () => {} };
  }
  const body = JSON.stringify({ text });
  const head = ["POST /publish HTTP/1.1", `Host: 127.0.0.1:${port}`, "Content-Type: application/json"];
  const request = Buffer.from([...head, `Content-Length: ${body.length}`, "", body].join("\r\n"));
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  const publish = () =>
    new Promise<void>((resolve, reject) => {
      socket.once("data", (chunk) => {
        const line = chunk.toString("latin1", 0, 12);
        if (line === "HTTP/1.1 204") resolve();
        else reject(new Error(`a message could not be published: ${line}`));
      });
      socket.write(request);
    });
  return { publish, close: () => socket.destroy() };
}

function groupOf(name: string): Group {
  const group = groups.get(name);
  if (group === undefined) throw new Error(`${name} is not connected`);
  return group;
}

async function perform(command: LoadCommand): Promise<unknown> {
  switch (command.type) {
    case "connect": {
      const entrant = entrantOf(command.entrant);
      const clients = await openAll(entrant, command.port, command.count);
      groups.set(entrant.name, { entrant, port: command.port, clients });
      return clients.length;
    }
    case "run": {
      const group = groupOf(command.entrant);
      return (group.entrant.part === "echo" ? runEcho : runFanOut)(group, command.milliseconds);
    }
  }
}

process.on("message", (command: LoadCommand) => {
  void perform(command).then((value) => process.send?.(value));
});
process.on("disconnect", () => process.exit(0));
process.once("SIGUSR2", () => process.exit(0));
process.send?.("ready");
