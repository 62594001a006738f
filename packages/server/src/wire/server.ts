import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { openPort } from "../open-port.ts";
import type { HttpServer, ServerOptions } from "../options.ts";
import { Exchange } from "../response/exchange.ts";
import { ResponseHeads } from "../response/response-head.ts";
import { type ConnectionParts, WireConnection } from "./connection.ts";
import { shutDown } from "./shutdown.ts";

/** The server on node:net: start, connections, timeouts, shutdown. `WireConnection` handles the requests. */
export class WireServer implements HttpServer {
  readonly #server: Server;
  readonly #parts: ConnectionParts;
  readonly #connections = new Map<Socket, WireConnection>();
  readonly #handshakes = new Map<string, Socket>();
  #sweep: NodeJS.Timeout | undefined;
  #sweptAt = 0;

  constructor(options: ServerOptions) {
    const { headerTimeout, requestTimeout, keepAlive } = options.limits;
    this.#parts = {
      connections: this.#connections,
      exchange: new Exchange(options),
      heads: new ResponseHeads(keepAlive),
      clock: { now: 0, every: Math.min(250, headerTimeout, requestTimeout, keepAlive) },
    };
    // half open: a client that closes its sending side after the request still gets a response
    const socketOptions = { allowHalfOpen: true, noDelay: true };
    if (options.tls === undefined) this.#server = createServer(socketOptions, this.#onConnection);
    else {
      const alpn = { ALPNProtocols: ["http/1.1"], handshakeTimeout: headerTimeout };
      const tls = process.getBuiltinModule("node:tls"); // not loaded without the option
      this.#server = tls.createServer({ ...socketOptions, ...alpn, ...options.tls }, this.#onConnection);
      this.#server
        .on("connection", this.#onHandshake)
        .on("tlsClientError", (_: Error, socket: Socket) => socket.destroy()); // a failed handshake, or one that takes too long
    }
  }

  get connections(): number {
    return this.#connections.size + this.#parts.exchange.upgrades.open.size;
  }

  async listen(port: number, host: string): Promise<AddressInfo> {
    const address = await openPort(this.#server, port, host, this.#parts.exchange.options.log);
    this.#sweptAt = performance.now();
    this.#sweep = setInterval(this.#tick, this.#parts.clock.every).unref();
    return address;
  }

  async close(): Promise<void> {
    await shutDown(this.#server, this.#parts, this.#handshakes.values());
    clearInterval(this.#sweep);
  }

  /** One timer for all connections instead of one for each request. */
  readonly #tick = (): void => {
    const { clock } = this.#parts;
    const now = performance.now();
    // time for which the process was blocked does not count: what clients have sent meanwhile is not read yet
    clock.now += Math.min(now - this.#sweptAt, 2 * clock.every);
    this.#sweptAt = now;
    setImmediate(this.#closeExpired); // after sockets are read: closing one resets a request that has just arrived
  };

  readonly #closeExpired = (): void => {
    const { clock } = this.#parts;
    for (const connection of this.#connections.values()) {
      const { deadline } = connection.wire;
      if (deadline !== 0 && deadline <= clock.now) connection.expire();
    }
  };

  readonly #onConnection = (socket: Socket): void => {
    if (this.#parts.exchange.options.tls !== undefined) this.#handshakes.delete(peerOf(socket));
    this.#connections.set(socket, new WireConnection(socket, this.#parts));
  };

  /** Until the handshake is done, only this map knows the socket: node makes another one for the encrypted connection. */
  readonly #onHandshake = (socket: Socket): void => {
    const peer = peerOf(socket);
    this.#handshakes.set(peer, socket);
    socket.once("close", () => this.#handshakes.delete(peer));
  };
}

function peerOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`;
}
