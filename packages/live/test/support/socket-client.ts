import { once } from "node:events";
import { WebSocket } from "ws";

export interface Frame {
  readonly event?: string;
  readonly data?: unknown;
  readonly id?: string;
}

/** A WebSocket client that collects what it gets. */
export class SocketClient {
  readonly socket: WebSocket;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly #frames: Frame[] = [];
  #wake = Promise.withResolvers<void>();
  #isClosed = false;

  constructor(url: string, headers: Record<string, string> = {}, options: { readonly autoPong?: boolean } = {}) {
    this.socket = new WebSocket(url.replace(/^http/, "ws"), { headers, ...options });
    this.socket.on("message", (data) => {
      this.#frames.push(JSON.parse(String(data)) as Frame);
      this.#wake.resolve();
    });
    this.socket.on("error", () => {});
    this.closed = new Promise((resolve) => {
      this.socket.on("close", (code, reason) => {
        this.#isClosed = true;
        this.#wake.resolve();
        resolve({ code, reason: reason.toString() });
      });
    });
  }

  static async open(url: string, headers?: Record<string, string>): Promise<SocketClient> {
    const client = new SocketClient(url, headers);
    await once(client.socket, "open");
    return client;
  }

  /** The status of the response to a handshake that is refused. */
  static async refused(url: string, headers?: Record<string, string>): Promise<{ status: number; body: string }> {
    const client = new SocketClient(url, headers);
    const [request, response] = await once(client.socket, "unexpected-response");
    let body = "";
    for await (const chunk of response) body += chunk;
    request.destroy();
    return { status: response.statusCode, body };
  }

  send(event: string, data?: unknown): this {
    this.socket.send(JSON.stringify({ event, data }));
    return this;
  }

  /** The next message; positions without an event are left out. */
  async next(): Promise<Frame> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame?.event !== undefined) return frame;
      if (frame !== undefined) continue;
      if (this.#isClosed) throw new Error("the socket is closed");
      this.#wake = Promise.withResolvers();
      await this.#wake.promise;
    }
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed;
  }
}
