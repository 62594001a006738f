import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** What happens to connections: forwarded, refused, accepted without a response, cut in the middle of a response, or slow. */
export type Fault = "none" | "refused" | "silent" | "reset" | "slow";

/** The delay of a slow connection: milliseconds, half of them each way. */
const latency = 200;

/** A proxy between a client and a server on this machine that fails on demand. */
export class FaultProxy {
  readonly #target: { readonly host: string; readonly port: number };
  readonly #sockets = new Set<Socket>();
  readonly #due = new WeakMap<Socket, number>();
  #server: Server | undefined;
  #port = 0;
  #fault: Fault = "none";
  /** Connections that were accepted, those that are open, and the most that were open at once. */
  readonly connections = { accepted: 0, open: 0, most: 0 };

  constructor(target: { readonly host: string; readonly port: number }) {
    this.#target = target;
  }

  get port(): number {
    return this.#port;
  }

  async start(): Promise<void> {
    const server = createServer((socket) => this.#accept(socket));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.#port, "127.0.0.1", resolve);
    });
    this.#port = (server.address() as AddressInfo).port; // the address of a TCP server
    this.#server = server;
  }

  async become(fault: Fault): Promise<void> {
    this.#fault = fault;
    if (fault === "refused") await this.stop();
    else if (this.#server === undefined) await this.start();
  }

  /** Cuts every connection and accepts no more. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    if (server !== undefined) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  #accept(client: Socket): void {
    const server = connect(this.#target.port, this.#target.host);
    const { connections } = this;
    connections.accepted++;
    connections.most = Math.max(connections.most, ++connections.open);
    client.once("close", () => connections.open--);
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => {
        this.#sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    client.on("data", (chunk: Buffer) => this.#forward(chunk, server));
    server.on("data", (chunk: Buffer) => {
      if (this.#fault !== "reset") this.#forward(chunk, client);
      else client.write(chunk.subarray(0, chunk.byteLength / 2), () => client.resetAndDestroy());
    });
  }

  /** Keeps the order: a connection that is fast again may still have delayed bytes. */
  #forward(chunk: Buffer, to: Socket): void {
    if (this.#fault === "silent") this.#due.set(to, Number.POSITIVE_INFINITY);
    if (this.#due.get(to) === Number.POSITIVE_INFINITY) return; // TCP never skips bytes
    const now = performance.now();
    const due = Math.max(this.#due.get(to) ?? 0, this.#fault === "slow" ? now + latency / 2 : now);
    this.#due.set(to, due);
    if (due === now) to.write(chunk);
    else setTimeout(() => to.writable && to.write(chunk), due - now);
  }
}

/** A proxy for the server of this URL, and the URL of the proxy. */
export async function startProxy(url: string, defaultPort: number): Promise<{ proxy: FaultProxy; url: string }> {
  const target = new URL(url);
  const proxy = new FaultProxy({ host: target.hostname, port: Number(target.port || defaultPort) });
  await proxy.start();
  target.host = `127.0.0.1:${proxy.port}`;
  return { proxy, url: target.href };
}
