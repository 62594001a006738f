import { type Context, stateOf } from "./context.ts";
import type { Lease } from "./context-types.ts";
import type { Incoming } from "./request.ts";

/** Frees memory of a request whose connection stays open after its response: what was read of it is read again. */
export function releaseRequest(ctx: Context, connection: KeptConnection): void {
  const state = stateOf(ctx);
  state.incoming = new KeptIncoming(state.incoming, connection);
  state.log = undefined;
  state.cookies = undefined;
  state.hooks = undefined; // they have run
  state.traced = undefined;
  state.body = undefined;
  state.view = undefined;
  state.pairs = undefined;
}

/** The leases that the guards of a request have added. The list grows with leases that are added later. */
export function leasesOf(ctx: Context): Lease[] {
  const state = stateOf(ctx);
  state.leases ??= [];
  return state.leases;
}

/** A connection that stays open after its response. */
export interface KeptConnection {
  readonly destroyed: boolean;
  once(event: "close", listener: () => void): unknown;
}

/**
 * What is kept of a request whose connection stays open after its response. Copies: strings that are parts of the head
 * would keep all of it in memory. The headers are one text, because few connections read them again.
 */
class KeptIncoming implements Incoming {
  declare readonly method: string;
  declare readonly path: string;
  declare readonly search: string;
  declare readonly address: string;
  declare readonly peer: string | undefined;
  declare readonly protocol: string;
  declare readonly host: string;
  readonly #headers: string;
  readonly #connection: KeptConnection;
  #controller: AbortController | undefined;

  constructor(incoming: Incoming, connection: KeptConnection) {
    const { method, path, search, address, peer, protocol, host } = incoming;
    Object.assign(this, JSON.parse(JSON.stringify({ method, path, search, address, peer, protocol, host })));
    this.#headers = JSON.stringify(incoming.headers());
    this.#connection = connection;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      const abort = () => controller.abort(new Error("the client went away"));
      if (this.#connection.destroyed) abort();
      else this.#connection.once("close", abort);
    }
    return this.#controller.signal;
  }

  header(name: string): string | undefined {
    return this.headers()[name];
  }

  headers(): Record<string, string> {
    return Object.assign(Object.create(null), JSON.parse(this.#headers));
  }

  /** The body has arrived before the response: it was read then, or never. */
  readBody(): Uint8Array {
    return new Uint8Array();
  }
}
