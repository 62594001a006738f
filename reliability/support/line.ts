import { connect, type Socket } from "node:net";

export interface LineReply {
  readonly status: number;
  /** Status line and headers, unparsed. */
  readonly head: string;
  /** Milliseconds until the whole response was received. */
  readonly time: number;
}

interface Waiting {
  readonly since: number;
  readonly resolve: (reply: LineReply) => void;
  readonly reject: (error: Error) => void;
}

const endOfHead = "\r\n\r\n";

/**
 * A keep-alive connection with one request at a time, for responses with a Content-Length. Cheaper than node's client:
 * where the load shares a core with the service, the client's time would count as the service's.
 */
export class Line {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #waiting: Waiting | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("the connection was closed")));
  }

  static open(url: string): Promise<Line> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      socket.setNoDelay(true).once("error", reject);
      socket.once("connect", () => resolve(new Line(socket.off("error", reject))));
    });
  }

  /** Rejects when the connection is closed before the whole response is received. */
  ask(request: string): Promise<LineReply> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) return reject(new Error("the connection is closed"));
      this.#waiting = { since: performance.now(), resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const end = this.#received.indexOf(endOfHead);
    if (end < 0) return;
    const head = this.#received.toString("latin1", 0, end);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < end + endOfHead.length + length) return;
    const waiting = this.#waiting;
    this.#received = Buffer.alloc(0);
    this.#waiting = undefined;
    waiting?.resolve({ status: Number(head.slice(9, 12)), head, time: performance.now() - waiting.since });
  }

  #fail(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.reject(error);
  }
}

/** The text of a request, with an optional JSON body. */
export function toRequest(method: string, path: string, json?: unknown): string {
  const start = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n`;
  if (json === undefined) return `${start}\r\n`;
  const body = JSON.stringify(json);
  const length = Buffer.byteLength(body);
  return `${start}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`;
}
