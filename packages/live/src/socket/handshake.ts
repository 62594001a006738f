import { type Context, explainForeignOrigin, HttpError } from "@tenon/core";
import { releaseRequest } from "@tenon/core/internal";
import { type HeaderEntries, Upgrade } from "@tenon/core/platform";
import type { WebSocketServer } from "ws";
import { closings } from "../connections.ts";
import { type LiveSocket, slowCloseTimeout } from "./live-socket.ts";
import type { WsSocket } from "./ws-socket.ts";

const key = /^[+/0-9A-Za-z]{22}==$/;

/** Throws when a request is not a WebSocket handshake (RFC 6455, 4.2.1), or comes from a page of another origin. */
export function checkHandshake(ctx: Context, origins: readonly string[]): void {
  if (ctx.header("upgrade").toLowerCase() !== "websocket" || ctx.method !== "GET") {
    throw new HttpError(426, "Upgrade Required", { headers: { upgrade: "websocket" } });
  }
  if (ctx.header("sec-websocket-version") !== "13") {
    throw new HttpError(426, "Upgrade Required", { headers: { upgrade: "websocket", "sec-websocket-version": "13" } });
  }
  if (!key.test(ctx.header("sec-websocket-key"))) throw new HttpError(400, "Bad Request");
  // browsers send cookies along with the handshakes of any page, and do not ask for CORS
  const reason = explainForeignOrigin(ctx, origins);
  if (reason === undefined) return;
  ctx.log.info({ event: "origin refused", reason });
  throw new HttpError(403, "Forbidden");
}

/** Without a context for the next message, which would be kept for each connection; `ws` ignores the threshold with one. */
const deflate = {
  threshold: 1024,
  concurrencyLimit: 4,
  serverNoContextTakeover: true,
  clientNoContextTakeover: true,
} as const;
/** Parts of a message: fragments, and chunks of one that is not complete. More are allowed with larger messages. */
const leastParts = 256;
const bytesOfPart = 256;

/** The handshakes of one route. `ws` is loaded with the first: an application without sockets does not need it. */
export class Handshakes {
  readonly #server: WebSocketServer;
  readonly #compresses: boolean;

  constructor(server: WebSocketServer, compresses: boolean) {
    this.#server = server;
    this.#compresses = compresses;
    server.on("headers", (lines, request) => lines.push(...(request as unknown as HandshakeRequest).added)); // see toUpgrade
  }

  static async load(maxPayload: number, compression: boolean): Promise<Handshakes> {
    const { WebSocketServer } = await import("ws");
    const closeTimeout = slowCloseTimeout; // other clients have less: see LiveSocket
    const maxFragments = Math.max(leastParts, Math.ceil(maxPayload / bytesOfPart)); // each takes memory of its own
    const limits = { maxPayload, maxFragments, maxBufferedChunks: maxFragments, closeTimeout };
    const options = { noServer: true, clientTracking: false, perMessageDeflate: compression && deflate, ...limits };
    return new Handshakes(new WebSocketServer({ ...options, handleProtocols: () => false }), compression);
  }

  toUpgrade(ctx: Context, live: LiveSocket): Upgrade {
    const end = () => live.end(closings.stopping);
    return new Upgrade("websocket", {
      discard: () => live.discard(),
      take: (socket, buffered, headers) => {
        const { method, path } = ctx;
        const request: HandshakeRequest = {
          method,
          url: path,
          headers: Object.fromEntries(handshakeHeaders.map((name) => [name, ctx.header(name) || undefined])),
          socket,
          added: toLines(headers),
        };
        releaseRequest(ctx, socket);
        let isTaken = false;
        // `ws` reads nothing else of a request
        this.#server.handleUpgrade(request as never, socket, Buffer.from(buffered), (opened) => {
          isTaken = true;
          live.attach(opened as unknown as WsSocket, this.#compresses ? undefined : socket); // `on` has overloads for more events
        });
        if (!isTaken) live.discard(); // the client has left, or `ws` has refused the handshake itself
        return end; // made outside: it would keep the variables of this function in memory
      },
    });
  }
}

/** A request as far as `ws` needs it, and the lines that its response gets. */
interface HandshakeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly socket: unknown;
  readonly added: readonly string[];
}

/** Headers of a request that `ws` reads. */
const handshakeHeaders = [
  "upgrade",
  "sec-websocket-key",
  "sec-websocket-version",
  "sec-websocket-protocol",
  "sec-websocket-extensions",
];

/** Headers that `ws` writes itself, and those of a body. */
const own = /^(?:connection|upgrade|content-|transfer-encoding|sec-websocket-)/;

function toLines(headers: HeaderEntries): string[] {
  return headers.flatMap(([name, value]) => (own.test(name) ? [] : [value].flat().map((one) => `${name}: ${one}`)));
}
