import { type Context, type Contract, endpoint, Reply } from "@tenon/core";
import { checkOptions, type InputOf, refuseOption, withSource } from "@tenon/core/internal";
import type { Closing } from "../connections.ts";
import { type LiveContext, type LiveHandler, LiveRoute } from "../live-route.ts";
import { type DataOf, IncomingMessages, type Messages, messagesCheck } from "../messages.ts";
import { originsCheck, type SocketLimits, socketTable } from "../settings.ts";
import { checkHandshake, Handshakes } from "./handshake.ts";
import { LiveSocket, type SocketRoute, socketSyntax } from "./live-socket.ts";

/** What a WebSocket accepts, receives and sends. */
export interface SocketContract extends Omit<Contract, "body" | "returns" | "live"> {
  /** Schemas of the messages of the client, by name. */
  readonly receives: Messages;
  /** Schemas of the messages of the server, by name. */
  readonly sends: Messages;
  readonly limits?: SocketLimits;
  /** Origins whose pages may connect, in addition to the application's own. */
  readonly origins?: readonly string[];
  /** Compresses messages of 1 KB and more, if the client offers it. Defaults to false. */
  readonly compression?: boolean;
}

export interface SocketHandlers<C extends SocketContract, Param extends string> {
  /**
   * Runs before the connection is upgraded, so that what it throws is a normal response. What it
   * sends is sent after the upgrade.
   */
  readonly open?: (ctx: LiveContext<C, Param>, socket: LiveSocket<C["sends"]>, input: InputOf<C>) => unknown;
  /** By message. One message of a socket is handled after the other. */
  readonly on: {
    readonly [Name in keyof C["receives"]]: (
      ctx: LiveContext<C, Param>,
      socket: LiveSocket<C["sends"]>,
      data: DataOf<C["receives"][Name]>,
    ) => unknown;
  };
  /** Runs once for every socket whose `open` has succeeded. 1006 is a connection that was lost. */
  readonly close?: (ctx: LiveContext<C, Param>, socket: LiveSocket<C["sends"]>, closing: Closing) => unknown;
}

const handshakeErrors = { 400: "Bad Request", 403: "Forbidden", 426: "Upgrade Required" } as const;

/**
 * A handler that upgrades a request to a WebSocket, after the middlewares of its route. Messages are JSON in both
 * directions, `{ "event": name, "data": value }`, and validated.
 */
export function socket<const C extends SocketContract, Param extends string = string>(
  contract: C,
  handlers: SocketHandlers<C, Param>,
): LiveHandler<C, Param> {
  if (typeof handlers !== "object" || handlers === null)
    refuseOption("socket() takes a contract and handlers: socket({ receives, sends }, { open, on }).");
  const { sends, receives, limits: own = {}, origins = [], compression = false, ...rest } = contract as SocketContract; // its own type, which every contract has
  const { open, on, close } = handlers as unknown as Handlers; // by name, each with the type of its message
  checkOptions("socket()", { sends, receives, limits: own, origins, ...(handlers as object) }, optionTable);
  const live = new LiveRoute(sends, socketSyntax, own);
  const allOrigins = [...live.connections.settings.origins, ...origins];
  const route: SocketRoute = {
    live,
    receives: new IncomingMessages(receives),
    onMessage: ({ self, ctx }, socket, name, data) => on[name]?.call(self, ctx, socket, data),
    onClose: ({ self, ctx }, socket, closing) => close?.call(self, ctx, socket, closing),
  };
  let loading: Promise<Handshakes> | undefined;

  async function openSocket(this: unknown, ctx: Context, input: unknown): Promise<unknown> {
    checkHandshake(ctx, allOrigins);
    loading ??= Handshakes.load(live.limits.messageBytes, compression);
    const handshakes = await loading;
    const socket = new LiveSocket(route, { ctx, self: this });
    live.add(socket, ctx);
    try {
      const value = await open?.call(this, ctx, socket, input);
      if (value instanceof Reply || value instanceof Error) {
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
  return endpoint(declared as Contract, withSource(openSocket, open ?? on));
}

/** The handlers of a socket with any messages. */
interface Handlers {
  readonly open?: (ctx: Context, socket: LiveSocket, input: unknown) => unknown;
  readonly on: Readonly<Record<string, (ctx: Context, socket: LiveSocket, data: unknown) => unknown>>;
  readonly close?: (ctx: Context, socket: LiveSocket, closing: Closing) => unknown;
}

const optionTable = {
  sends: messagesCheck,
  receives: messagesCheck,
  limits: socketTable,
  origins: originsCheck,
  open: true,
  on: true,
  close: true,
};
