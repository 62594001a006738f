import { type Context, type Contract, endpoint, HttpError, inject, Reply, type RequestContext } from "@tenon/core";
import {
  asWrittenBy,
  checkNames,
  type FailuresOf,
  type HeaderEntries,
  type InputOf,
  type ParamsOf,
  type PathOf,
  refuseOption,
  releaseCaches,
  Upgrade,
} from "@tenon/core/platform";
import type { WebSocketServer } from "ws";
import { type Closing, closings, LiveConnections } from "./connections.ts";
import { EventFormat } from "./event-format.ts";
import { checkHandshake } from "./handshake.ts";
import { LiveSocket, type SocketRoute, slowCloseTimeout, toMessage, toPositionMessage } from "./live-socket.ts";
import { checkMessages, type DataOf, IncomingMessages, type Messages, OutgoingMessages } from "./messages.ts";
import { checkLimits, checkOrigins, type SocketLimits } from "./settings.ts";
import type { WsSocket } from "./ws-socket.ts";

/** What a WebSocket accepts, receives and sends. */
export interface SocketContract extends Omit<Contract, "body" | "returns" | "live"> {
  /** Schemas of the messages of the client, by name. */
  readonly receives: Messages;
  /** Schemas of the messages of the server, by name. */
  readonly sends: Messages;
  readonly limits?: SocketLimits;
  /** Origins whose pages may connect, in addition to the application's own. */
  readonly origins?: readonly string[];
  /** Compresses messages, if the client offers it: about 300 KB of memory for each connection. Defaults to false. */
  readonly compression?: boolean;
}

export interface SocketHandlers<C extends SocketContract, Param extends string> {
  /**
   * Runs before the connection is upgraded, so that what it throws or returns as an error is a normal response. What it
   * sends is sent after the upgrade.
   */
  readonly open?: (ctx: SocketContext<C, Param>, socket: LiveSocket<C["sends"]>, input: InputOf<C>) => unknown;
  /** By message. One message of a socket is handled after the other. */
  readonly on: {
    readonly [Name in keyof C["receives"]]: (
      ctx: SocketContext<C, Param>,
      socket: LiveSocket<C["sends"]>,
      data: DataOf<C["receives"][Name]>,
    ) => unknown;
  };
  /** Runs once for every socket whose `open` has succeeded. 1006 is a connection that was lost. */
  readonly close?: (ctx: SocketContext<C, Param>, socket: LiveSocket<C["sends"]>, closing: Closing) => unknown;
}

type SocketContext<C extends SocketContract, Param extends string> = RequestContext<ParamsOf<C, Param>, FailuresOf<C>>;

const handshakeErrors = { 400: "Bad Request", 403: "Forbidden", 426: "Upgrade Required" } as const;

/**
 * A handler that upgrades a request to a WebSocket, after the middlewares of its route. Messages are JSON in both
 * directions, `{ "event": name, "data": value }`, and validated.
 */
export function socket<const C extends SocketContract, Param extends string = string>(
  contract: C,
  handlers: SocketHandlers<C, Param>,
): (ctx: Context<PathOf<ParamsOf<C, NoInfer<Param>>>>) => unknown {
  if (typeof handlers !== "object" || handlers === null)
    refuseOption("socket() takes a contract and handlers: socket({ receives, sends }, { open, on }).");
  checkNames("socket()", handlers, ["open", "on", "close"]);
  const { sends, receives, limits: own = {}, origins = [], compression = false, ...rest } = contract as SocketContract; // its own type, which every contract has
  checkMessages("socket()", sends, "sends");
  checkMessages("socket()", receives, "receives");
  checkLimits("socket()", own);
  checkOrigins("socket()", origins);
  const { open, on, close } = handlers as unknown as Handlers; // by name, each with the type of its message
  checkHandlers(receives, on);
  const connections = inject(LiveConnections);
  const outgoing = new OutgoingMessages(sends, toMessage);
  const { settings } = connections;
  const allOrigins = [...settings.origins, ...origins];
  const createRoute = ({ route: matched }: Context): SocketRoute => ({
    sends: outgoing,
    receives: new IncomingMessages(receives),
    connections,
    format: new EventFormat(outgoing, connections, `${matched?.method} ${matched?.path}`, toPositionMessage),
    limits: { ...settings, ...own },
    onMessage: ({ self, ctx }, live, name, data) => on[name]?.call(self, ctx, live, data),
    onClose: ({ self, ctx }, live, closing) => close?.call(self, ctx, live, closing),
  });
  let route: SocketRoute | undefined;
  let loading: Promise<Handshakes> | undefined;

  async function openSocket(this: unknown, ctx: Context, input: unknown): Promise<unknown> {
    checkHandshake(ctx, allOrigins);
    route ??= createRoute(ctx);
    loading ??= Handshakes.load(route.limits.messageBytes, compression);
    const handshakes = await loading;
    const socket = new LiveSocket(route, { ctx, self: this });
    connections.add(socket);
    try {
      const value = await open?.call(this, ctx, socket, input);
      if (value instanceof HttpError) throw value;
      if (value instanceof Reply) {
        socket.discard();
        return value;
      }
    } catch (error) {
      socket.discard();
      throw error;
    }
    socket.enter();
    return new Reply(101, "raw", handshakes.toUpgrade(ctx, socket));
  }
  const errors = { ...handshakeErrors, ...rest.errors };
  const declared = { ...rest, errors, live: { kind: "socket", sends, receives } } as const;
  return endpoint(declared as Contract, asWrittenBy(openSocket, open ?? on));
}

/** The handlers of a socket with any messages. */
interface Handlers {
  readonly open?: (ctx: Context, socket: LiveSocket, input: unknown) => unknown;
  readonly on: Readonly<Record<string, (ctx: Context, socket: LiveSocket, data: unknown) => unknown>>;
  readonly close?: (ctx: Context, socket: LiveSocket, closing: Closing) => unknown;
}

function checkHandlers(receives: Messages, on: Handlers["on"] | undefined): void {
  for (const name of Object.keys(receives)) {
    if (typeof on?.[name] !== "function")
      refuseOption(`socket() receives "${name}" and has no handler for it: add on.${name}.`);
  }
  for (const name of Object.keys(on ?? {})) {
    if (!(name in receives)) refuseOption(`socket() has on.${name}, which receives does not declare. Add its schema.`);
  }
}

/** The handshakes of one route. `ws` is loaded with the first: an application without sockets does not need it. */
class Handshakes {
  readonly #server: WebSocketServer;
  readonly #compresses: boolean;

  constructor(server: WebSocketServer, compresses: boolean) {
    this.#server = server;
    this.#compresses = compresses;
    server.on("headers", (lines, request) => lines.push(...(request as unknown as HandshakeRequest).added)); // see toUpgrade
  }

  static async load(maxPayload: number, compression: boolean): Promise<Handshakes> {
    const { WebSocketServer } = await import("ws");
    const perMessageDeflate = compression && { threshold: 1024, concurrencyLimit: 4 };
    const closeTimeout = slowCloseTimeout; // other clients have less: see LiveSocket
    const options = { noServer: true, clientTracking: false, maxPayload, perMessageDeflate, closeTimeout };
    return new Handshakes(new WebSocketServer({ ...options, handleProtocols: () => false }), compression);
  }

  toUpgrade(ctx: Context, live: LiveSocket): Upgrade {
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
        releaseCaches(ctx);
        let isTaken = false;
        // `ws` reads nothing else of a request
        this.#server.handleUpgrade(request as never, socket, Buffer.from(buffered), (opened) => {
          isTaken = true;
          live.attach(opened as unknown as WsSocket, this.#compresses ? undefined : socket); // `on` has overloads for more events
        });
        if (!isTaken) live.discard(); // the client has left, or `ws` has refused the handshake itself
        return () => live.end(closings.stopping);
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
