import type { Writable } from "node:stream";

/** A message on its way to a client: a head of its own, in ASCII, and a body that is encoded once for all clients. */
export interface Wire {
  readonly head: string;
  readonly body: Buffer;
}

const empty = Buffer.alloc(0);

/** A message that only this client gets. */
export function toWire(text: string): Wire {
  return { head: "", body: Buffer.from(text) };
}

/** A message in ASCII that is too short to be shared. */
export function toShortWire(head: string): Wire {
  return { head, body: empty };
}

export function sizeOf({ head, body }: Wire): number {
  return head.length + body.length;
}

/** The bytes of messages in one piece. */
export function joinWires(wires: readonly Wire[]): Buffer {
  const [first] = wires;
  if (wires.length === 1 && first?.head === "") return first.body;
  const bytes = Buffer.allocUnsafe(wires.reduce((sum, wire) => sum + sizeOf(wire), 0));
  let end = 0;
  for (const { head, body } of wires) {
    end += bytes.write(head, end, "latin1");
    end += body.copy(bytes, end);
  }
  return bytes;
}

const finalText = 0x81;
/** Bytes of a body that are copied next to its head, because one write costs less than two. */
const copied = 1024;

/** Writes a text message of the server in one frame (RFC 6455, 5.2). */
export function writeFrame(connection: Writable, wire: Wire): void {
  const { head, body } = wire;
  const length = sizeOf(wire);
  const start = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const isCopied = body.length <= copied;
  const bytes = Buffer.allocUnsafe(start + head.length + (isCopied ? body.length : 0));
  bytes[0] = finalText;
  bytes[1] = start === 2 ? length : start === 4 ? 126 : 127;
  if (start === 4) bytes.writeUInt16BE(length, 2);
  else if (start === 10) bytes.writeBigUInt64BE(BigInt(length), 2);
  bytes.write(head, start, "latin1");
  if (isCopied) {
    body.copy(bytes, start + head.length);
    connection.write(bytes);
    return;
  }
  connection.cork();
  connection.write(bytes);
  connection.write(body);
  connection.uncork();
}
