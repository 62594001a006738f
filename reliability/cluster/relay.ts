import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Forwards TCP connections, and delays every byte in both directions. */
export class Relay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(target: { readonly host: string; readonly port: number }, delay: number) {
    this.#server = createServer((client) => {
      const server = connect(target.port, target.host);
      for (const [from, to] of [
        [client, server],
        [server, client],
      ] as const) {
        this.#sockets.add(from);
        from.on("data", (chunk: Buffer) => {
          setTimeout(() => to.writable && to.write(chunk), delay); // timers of one duration fire in their order
        });
        from.on("error", () => {});
        from.once("close", () => {
          this.#sockets.delete(from);
          setTimeout(() => to.destroy(), delay);
        });
      }
    });
  }

  static async start(
    address: string,
    target: { readonly host: string; readonly port: number },
    delay: number,
  ): Promise<Relay> {
    const relay = new Relay(target, delay);
    await new Promise<void>((resolve, reject) => {
      relay.#server.once("error", reject);
      relay.#server.listen(0, address, resolve);
    });
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port; // it listens on TCP
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }
}
