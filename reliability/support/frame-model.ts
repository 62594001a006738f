import { isUtf8 } from "node:buffer";

const opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
const largest = BigInt(Number.MAX_SAFE_INTEGER);

interface FrameHead {
  readonly isLast: boolean;
  readonly opcode: number;
  readonly length: number;
  /** Where the mask begins. */
  readonly end: number;
}

/**
 * The close code with which a server must respond to these bytes of a client, by RFC 6455 and docs/live.md: that of the
 * first violation, or that of the close frame of the client (1005 if it has none). Undefined when there is neither. A
 * literal reading, to compare the server with.
 */
export function closeCodeFor(bytes: Buffer, maxBytes: number): number | undefined {
  let message: { readonly opcode: number; readonly parts: Buffer[] } | undefined;
  for (let at = 0; ; ) {
    if (bytes.length - at < 2) return undefined;
    const first = violationOf(bytes[at] ?? 0, bytes[at + 1] ?? 0, message !== undefined);
    if (first !== undefined) return first;
    const head = readHead(bytes, at);
    if (head === undefined) return undefined;
    const isControl = head.opcode >= opcode.close;
    const before = message?.parts.reduce((sum, part) => sum + part.length, 0) ?? 0;
    if (!isControl && before + head.length > maxBytes) return 1009;
    const end = head.end + 4 + head.length;
    if (bytes.length < end) return undefined;
    const payload = unmask(bytes.subarray(head.end + 4, end), bytes.subarray(head.end, head.end + 4));
    at = end;
    if (head.opcode === opcode.close) return closeCodeOf(payload);
    if (isControl) continue;
    message ??= { opcode: head.opcode, parts: [] };
    message.parts.push(payload);
    if (!head.isLast) continue;
    if (message.opcode === opcode.binary) return 1003;
    if (!isUtf8(Buffer.concat(message.parts))) return 1007;
    message = undefined;
  }
}

/** By the first two bytes of a frame: RFC 6455, 5.2, 5.4 and 5.5. */
function violationOf(first: number, second: number, isInMessage: boolean): number | undefined {
  const code = first & 0x0f;
  const isControl = code >= opcode.close;
  const isKnown = code <= opcode.binary || (isControl && code <= opcode.pong);
  const isLast = (first & 0x80) !== 0;
  const length = second & 0x7f;
  const isViolation =
    (first & 0x70) !== 0 || // no extension was negotiated
    !isKnown ||
    (second & 0x80) === 0 ||
    (isControl && (!isLast || length > 125 || (code === opcode.close && length === 1))) ||
    (!isControl && (code === opcode.continuation) !== isInMessage);
  return isViolation ? 1002 : undefined;
}

/** Undefined when it is not complete. */
function readHead(bytes: Buffer, at: number): FrameHead | undefined {
  const [first = 0, second = 0] = bytes.subarray(at, at + 2);
  const short = second & 0x7f;
  const end = at + (short === 126 ? 4 : short === 127 ? 10 : 2);
  if (bytes.length < end) return undefined;
  const long =
    short === 127 ? bytes.readBigUInt64BE(at + 2) : BigInt(short === 126 ? bytes.readUInt16BE(at + 2) : short);
  const length = long > largest ? Number.POSITIVE_INFINITY : Number(long);
  return { isLast: (first & 0x80) !== 0, opcode: first & 0x0f, length, end };
}

function unmask(payload: Buffer, mask: Buffer): Buffer {
  return Buffer.from(payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
}

/** RFC 6455, 7.4: codes that may be sent. */
function closeCodeOf(payload: Buffer): number {
  if (payload.length === 0) return 1005;
  const code = payload.readUInt16BE(0);
  const isProtocol = code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code);
  if (!isProtocol && (code < 3000 || code > 4999)) return 1002;
  return isUtf8(payload.subarray(2)) ? code : 1007;
}
