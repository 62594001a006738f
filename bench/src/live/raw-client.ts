import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";

/** Counts what arrives on a connection. */
interface Counter {
  /** How many messages this chunk has completed. */
  take(chunk: Buffer): number;
}

/** Counts the frames of a WebSocket server: not masked, and shorter than 64 KB. */
class FrameCounter implements Counter {
  #rest: Buffer = Buffer.alloc(0);

  take(chunk: Buffer): number {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let frames = 0;
    let at = 0;
    while (bytes.length - at >= 4 || (bytes.length - at >= 2 && (bytes.readUInt8(at + 1) & 0x7f) < 126)) {
      const short = bytes.readUInt8(at + 1) & 0x7f;
      const end = at + (short < 126 ? 2 + short : 4 + bytes.readUInt16BE(at + 2));
      if (end > bytes.length) break;
      at = end;
      frames++;
    }
    this.#rest = bytes.subarray(at);
    return frames;
  }
}

/** Counts the blocks of an event stream, each of which ends with an empty line. */
class BlockCounter implements Counter {
  #endsWithBreak = false;

  take(chunk: Buffer): number {
    let blocks = this.#endsWithBreak && chunk.length > 0 && chunk.readUInt8(0) === 0x0a ? 1 : 0;
    for (let at = chunk.indexOf("\n\n"); at >= 0; at = chunk.indexOf("\n\n", at + 2)) blocks++;
    this.#endsWithBreak =
      chunk.length > 0 && chunk.readUInt8(chunk.length - 1) === 0x0a && !chunk.subarray(-2).equals(blank);
    return blocks;
  }
}
const blank = Buffer.from("\n\n");

/** A text message of a client, masked (RFC 6455, 5.3). */
export function toFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  if (payload.length > 125) throw new Error("longer messages have another head");
  const key = randomBytes(4);
  const masked = payload.map((byte, index) => byte ^ key.readUInt8(index % 4));
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length]), key, masked]);
}

export interface ClientOptions {
  readonly port: number;
  readonly path: string;
  readonly kind: "socket" | "events";
  /** Sent after the first message of the server. */
  readonly hello?: Buffer | undefined;
  /** The messages that the server sends before it is ready. */
  readonly greetings: number;
}

/** A client that only counts: it takes less processor time than any server, so that the servers are what is measured. */
export class RawClient {
  readonly #socket: Socket;
  readonly #counter: Counter;
  #onMessages: (count: number) => void = () => {};

  private constructor(socket: Socket, counter: Counter) {
    this.#socket = socket;
    this.#counter = counter;
  }

  static open({ port, path, kind, hello, greetings }: ClientOptions): Promise<RawClient> {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    const client = new RawClient(socket, kind === "socket" ? new FrameCounter() : new BlockCounter());
    socket.write(toRequest(path, port, kind));
    return new Promise((resolve, reject) => {
      let head: Buffer | undefined = Buffer.alloc(0);
      let got = 0;
      const take = (chunk: Buffer) => {
        const isFirst = got === 0;
        got += client.#counter.take(chunk);
        if (isFirst && got > 0 && hello !== undefined) socket.write(hello);
        if (got < greetings) return;
        socket.off("data", onData).on("data", (more: Buffer) => client.#onMessages(client.#counter.take(more)));
        resolve(client);
      };
      const onData = (chunk: Buffer) => {
        if (head === undefined) return take(chunk);
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf("\r\n\r\n");
        if (end < 0) return;
        const status = head.toString("latin1", 9, 12);
        if (status !== (kind === "socket" ? "101" : "200"))
          return reject(new Error(`the response has status ${status}`));
        const rest = head.subarray(end + 4);
        head = undefined;
        take(rest);
      };
      socket.on("data", onData).on("error", reject);
      socket.on("close", () => {
        throw new Error("the server has closed a connection"); // ends the load, and with it the measurement
      });
    });
  }

  onMessages(listener: (count: number) => void): void {
    this.#onMessages = listener;
  }

  send(bytes: Buffer): void {
    this.#socket.write(bytes);
  }
}

function toRequest(path: string, port: number, kind: ClientOptions["kind"]): string {
  const key = randomBytes(16).toString("base64");
  const headers =
    kind === "socket"
      ? ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", `Sec-WebSocket-Key: ${key}`]
      : ["Accept: text/event-stream"];
  return [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers, "", ""].join("\r\n");
}
