import { connect, type Socket } from "node:net";

const key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/** The head of a handshake; further lines end with CRLF. */
export function handshakeOf(path = "/", lines = "", host = "localhost"): string {
  return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${key}${lines}\r\n`;
}

export interface RawOptions {
  readonly head: string;
  /** Sent after the handshake. */
  readonly bytes?: Buffer;
  /** When: after its response, together with it, or after it in two pieces. Defaults to after. */
  readonly send?: "after" | "together" | "split";
  /** Whether the server must send a close frame. Without one, the client closes its sending side after it has sent all. */
  readonly awaitsClose: boolean;
  /** The client does not respond to a close frame: the server must close the connection by itself. */
  readonly isDeaf?: boolean;
}

export interface RawReply {
  /** The status of the response; 0 without one. */
  readonly status: number;
  /** 1005 for a close frame without a code; undefined without a close frame. */
  readonly closeCode: number | undefined;
  /** Whether all frames of the server are well-formed. */
  readonly isSound: boolean;
  /** The server did not close the connection. */
  readonly isHung: boolean;
}

const patience = 30_000;

/** A WebSocket connection byte by byte, until it is closed. */
export function exchange(port: number, options: RawOptions): Promise<RawReply> {
  const { head, bytes = Buffer.alloc(0), send = "after", awaitsClose, isDeaf = false } = options;
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    let hasResponse = false;
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: isDeaf });
    const finish = (isHung: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ ...readReply(received), isHung });
    };
    const timer = setTimeout(() => finish(true), patience);
    socket.on("error", () => {}).on("close", () => finish(false));
    if (isDeaf) socket.on("end", () => pester(socket));
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (!hasResponse && received.includes("\r\n\r\n")) {
        hasResponse = true;
        const end = () => (awaitsClose ? undefined : socket.end());
        if (send === "together") end();
        else writeAll(socket, bytes, send === "split", end);
      }
      if (awaitsClose && !isDeaf && readReply(received).closeCode !== undefined) socket.end();
    });
    socket.write(send === "together" ? Buffer.concat([Buffer.from(head), bytes]) : head);
  });
}

function writeAll(socket: Socket, bytes: Buffer, isSplit: boolean, onWritten: () => void): void {
  const cut = isSplit ? Math.floor(bytes.length / 2) : 0;
  const writeRest = () => socket.write(bytes.subarray(cut), onWritten);
  if (cut === 0) writeRest();
  else socket.write(bytes.subarray(0, cut), () => setImmediate(writeRest));
}

/** Goes on sending: only a connection that the server has closed completely is reset. */
function pester(socket: Socket): void {
  const timer = setInterval(() => socket.write("x"), 100);
  socket.once("close", () => clearInterval(timer));
}

/** Reads the response, and the frames after it. */
export function readReply(received: Buffer): Omit<RawReply, "isHung"> {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(received.toString("latin1", 0, 20))?.[1] ?? 0);
  const headEnd = received.indexOf("\r\n\r\n");
  if (status !== 101 || headEnd < 0) return { status, closeCode: undefined, isSound: true };
  for (let at = headEnd + 4; at + 2 <= received.length; ) {
    const [first = 0, second = 0] = received.subarray(at, at + 2);
    const isKnown = [0x81, 0xc1, 0x88, 0x89, 0x8a].includes(first); // 0xc1 is compressed text
    if (!isKnown || second > 126) return { status, closeCode: undefined, isSound: false }; // masked, or over 64 KB
    if (second === 126 && received.length < at + 4) break;
    const begin = at + (second === 126 ? 4 : 2);
    const end = begin + (second === 126 ? received.readUInt16BE(at + 2) : second);
    if (first === 0x88 && received.length >= end) {
      return { status, closeCode: end > begin ? received.readUInt16BE(begin) : 1005, isSound: end === received.length };
    }
    at = end;
  }
  return { status, closeCode: undefined, isSound: true };
}
