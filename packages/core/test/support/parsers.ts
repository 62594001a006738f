import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { Exchange } from "../../../server/src/response/exchange.ts";
import { ResponseHeads } from "../../../server/src/response/response-head.ts";
import { WireConnection } from "../../../server/src/wire/connection.ts";
import type { WireMessage } from "../../../server/src/wire/message.ts";
import { headTotal } from "../../../server/src/wire/request-head.ts";
import { toHttpSettings } from "../../src/http/settings.ts";
import { Outgoing } from "../../src/request/reply.ts";
import type { Incoming } from "../../src/request/request.ts";

/** What a server has read from the bytes of a connection. */
export interface Reading {
  /** Whole requests: method, target, headers and body, as one text each. */
  readonly requests: readonly string[];
  /** Why it stopped reading; "" when it did not. */
  readonly reason: string;
  /** The connection did not close, though its client had. */
  readonly hung: boolean;
}

/** The far end of a connection, in memory: a million of them take no ports. */
class MemorySocket extends Duplex {
  written = "";
  readonly remoteAddress = "127.0.0.1";

  constructor() {
    super({ allowHalfOpen: true });
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: BufferEncoding, callback: () => void): void {
    this.written += chunk.toString("latin1");
    callback();
  }

  setTimeout(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }
}

/** Sends the chunks, closes the sending side and waits until the server has closed its own. True when it did not. */
async function play(socket: MemorySocket, chunks: readonly Buffer[]): Promise<boolean> {
  for (const chunk of chunks) if (!socket.destroyed) socket.push(chunk);
  if (!socket.destroyed) socket.push(null);
  for (let turns = 0; !socket.closed && turns < 100; turns++) await new Promise((resolve) => setImmediate(resolve));
  const hung = !socket.closed;
  socket.destroy();
  return hung;
}

const toText = (method: string, target: string, rawHeaders: readonly string[], body: Uint8Array) =>
  JSON.stringify([method, target, rawHeaders, Buffer.from(body).toString("latin1")]);

const settings = toHttpSettings("api()", { limits: { body: 2 ** 24 } }, {});

const responses = { ok: () => new Outgoing(200, "", "text/plain"), refused: () => new Outgoing(400, "", "text/plain") };

/** Our own engine, from the first byte to the response. */
export async function readByWire(chunks: readonly Buffer[]): Promise<Reading> {
  const requests: string[] = [];
  const reasons: string[] = [];
  const note = (fields: { readonly reason?: string }) => reasons.push(fields.reason ?? "error");
  const log = { info: note, warn: note, error: note };
  const handler = {
    async handle(incoming: Incoming) {
      const { method, url, rawHeaders } = incoming as WireMessage; // of this engine
      try {
        const body = await incoming.readBody(2 ** 24, 60_000);
        requests.push(toText(method, url, rawHeaders, body));
        return responses.ok();
      } catch {
        reasons.push("body");
        return responses.refused();
      }
    },
  };
  const toRefusal = () => ({ type: "text/plain", body: "" });
  const exchange = new Exchange({ ...settings, handler, toRefusal, toBodyError: () => new Error("body"), log });
  const socket = new MemorySocket();
  new WireConnection(socket as unknown as Socket, {
    exchange,
    connections: new Map(),
    heads: new ResponseHeads(5000),
    clock: { now: 0, every: 1 },
  });
  const hung = await play(socket, chunks);
  if (socket.written.includes("HTTP/1.1 204 ")) reasons.push("OPTIONS *"); // the only request that gets one without the kernel
  return { requests, reason: reasons[0] ?? "", hung };
}

const readings = new WeakMap<object, { requests: string[]; reason: string }>();
const nodeServer = createServer({
  maxHeaderSize: headTotal(settings.limits),
  requireHostHeader: false,
  keepAliveTimeout: 0,
  headersTimeout: 0,
  requestTimeout: 0,
  shouldUpgradeCallback: () => false,
})
  .on("request", readRequest)
  .on("checkContinue", readRequest)
  .on("checkExpectation", readRequest)
  .on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const reading = readings.get(socket);
    if (reading !== undefined) reading.reason = error.code ?? "";
    void destroyLater(socket);
  });
nodeServer.maxHeadersCount = 0;
Object.assign(nodeServer, { httpAllowHalfOpen: true });

/** Complete requests before a malformed one need a few turns of the event loop to end. */
async function destroyLater(socket: Duplex): Promise<void> {
  for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
  socket.destroy();
}

function readRequest(req: IncomingMessage, res: ServerResponse): void {
  const chunks: Buffer[] = [];
  req.on("data", (chunk: Buffer) => chunks.push(chunk));
  req.on("end", () => {
    readings
      .get(req.socket)
      ?.requests.push(toText(req.method ?? "", req.url ?? "", req.rawHeaders, Buffer.concat(chunks)));
    res.end();
  });
}

/** llhttp, by way of node:http. */
export async function readByNode(chunks: readonly Buffer[]): Promise<Reading> {
  const socket = new MemorySocket();
  const reading = { requests: [] as string[], reason: "" };
  readings.set(socket, reading);
  nodeServer.emit("connection", socket);
  const hung = await play(socket, chunks);
  return { ...reading, hung };
}

/** Cuts bytes at these offsets. */
export function cut(bytes: Buffer, offsets: readonly number[]): Buffer[] {
  const edges = [0, ...offsets.toSorted((a, b) => a - b), bytes.length];
  return edges
    .slice(1)
    .map((edge, index) => bytes.subarray(edges[index], edge))
    .filter((chunk) => chunk.length > 0);
}
