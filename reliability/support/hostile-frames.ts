import { constants, deflateRawSync } from "node:zlib";
import type { Random } from "../../packages/core/test/support/random.ts";
import { echoLimits } from "./echo-limits.ts";

const said = (text: string, event = "say") => Buffer.from(JSON.stringify({ event, data: { text } }));

/** A masked frame. `first` has the opcode and the flags; `announced` is the length that it states. */
export function frame(
  first: number,
  payload: Buffer,
  options: { announced?: number; size?: 7 | 16 | 64 } = {},
): Buffer {
  const { announced = payload.length, size = announced < 126 ? 7 : announced < 2 ** 16 ? 16 : 64 } = options;
  const head = Buffer.alloc(size === 7 ? 2 : size === 16 ? 4 : 10);
  head[0] = first;
  head[1] = 0x80 | (size === 7 ? announced : size === 16 ? 126 : 127);
  if (size === 16) head.writeUInt16BE(announced, 2);
  if (size === 64) head.writeBigUInt64BE(BigInt(announced), 2);
  const mask = Buffer.from([0x5a, 0x00, 0xff, 0x31]);
  return Buffer.concat([head, mask, payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0))]);
}

/** With which a client ends a connection as it should. */
export const closeFrame = frame(0x88, Buffer.from([0x03, 0xe8]));

const { messageBytes, compressedBytes } = echoLimits;
const payloads: readonly Buffer[] = [
  said("hello"),
  said("hello", "wait"),
  said("hello", "unknown"),
  said("x".repeat(100)),
  Buffer.from("not JSON"),
  Buffer.from('{"event":"say","data":{"text":1}}'),
  Buffer.from('{"event":"__proto__","data":{}}'),
  Buffer.alloc(0),
  Buffer.alloc(1, "x"),
  Buffer.alloc(125, "x"),
  Buffer.alloc(126, "x"),
  Buffer.alloc(messageBytes / 2 + 1, "x"),
  Buffer.alloc(messageBytes, "x"),
  Buffer.alloc(messageBytes + 1, "x"),
  Buffer.alloc(70_000, "x"),
  Buffer.from([0xff, 0xfe]),
  Buffer.from([0xed, 0xa0, 0x80]), // a lone surrogate
  Buffer.from([0xf0, 0x9f]), // the first half of a character
  Buffer.from([0x03, 0xe8]),
  Buffer.from([0x03, 0xed]), // 1005, which may not be sent
  Buffer.from([0x0f, 0xa0, 0xff]), // 4000, with a reason that is not UTF-8
  Buffer.from([0x0b, 0xb8, 0x6f, 0x6b]), // 3000, "ok"
];
/** Text, continuation and binary frames, control frames, and flags that were not negotiated. */
const firstBytes = [
  0x81, 0x81, 0x81, 0x01, 0x80, 0x00, 0x82, 0x02, 0x88, 0x89, 0x8a, 0x09, 0x83, 0x8b, 0xc1, 0xa1, 0x91,
];

/** Some frames, most of them acceptable by themselves, damaged at random. */
export function hostileFrames(random: Random): Buffer {
  const frames = Array.from({ length: 1 + random.below(8) }, () => randomFrame(random));
  const bytes = Buffer.concat([...frames, closeFrame]);
  switch (random.below(6)) {
    case 0: {
      const at = random.below(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      return bytes;
    }
    case 1:
      return bytes.subarray(0, random.below(bytes.length)); // cut off
    case 2: {
      const at = random.below(bytes.length);
      const added = Buffer.from(Array.from({ length: 1 + random.below(20) }, () => random.below(256)));
      return Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at)]);
    }
    default:
      return bytes;
  }
}

function randomFrame(random: Random): Buffer {
  // mostly what a client sends, so that many frames are read before the first violation
  const isOrdinary = random.below(3) > 0;
  const first = isOrdinary ? random.pick([0x81, 0x89, 0x8a]) : random.pick([...firstBytes, random.below(256)]);
  const payload = isOrdinary ? random.pick(payloads.slice(0, 10)) : random.pick(payloads);
  const bytes = frame(first, payload, random.below(20) === 0 ? { size: payload.length < 2 ** 16 ? 16 : 64 } : {});
  if (random.below(20) === 0) return frame(first, payload, { announced: random.pick([2 ** 31, 2 ** 52]), size: 64 });
  if (random.below(25) === 0) bytes[1] = (bytes[1] ?? 0) & 0x7f; // without a mask
  return bytes;
}

/** Frames on a connection that may compress, with the close code that it must get. */
export interface CompressedCase {
  readonly name: string;
  readonly bytes: Buffer;
  readonly code: number;
}

const bomb = deflateRawSync(Buffer.alloc(16 * 1024 * 1024));
const half = Math.floor(bomb.length / 2);

export const compressedCases: readonly CompressedCase[] = [
  { name: "a message", bytes: Buffer.concat([frame(0xc1, deflated(said("hello"))), closeFrame]), code: 1000 },
  { name: "a bomb", bytes: frame(0xc1, bomb), code: 1009 },
  {
    name: "a bomb in two fragments",
    bytes: Buffer.concat([frame(0x41, bomb.subarray(0, half)), frame(0x80, bomb.subarray(half))]),
    code: 1009,
  },
  { name: "one byte too many", bytes: frame(0xc1, deflated(Buffer.alloc(compressedBytes + 1, "x"))), code: 1009 },
  { name: "damaged data", bytes: frame(0xc1, Buffer.alloc(50, 0xff)), code: 1007 },
  { name: "text that is not UTF-8", bytes: frame(0xc1, deflated(Buffer.from([0xff, 0xfe]))), code: 1007 },
  { name: "a compressed ping", bytes: frame(0xc9, deflated(said("hello"))), code: 1002 },
  {
    name: "a compressed continuation",
    bytes: Buffer.concat([frame(0x01, said("hello")), frame(0xc0, deflated(said("hello")))]),
    code: 1002,
  },
];

/** Without the last four bytes of a flush: RFC 7692, 7.2.1. */
function deflated(data: Buffer): Buffer {
  const bytes = deflateRawSync(data, { finishFlush: constants.Z_SYNC_FLUSH });
  return bytes.subarray(0, bytes.length - 4);
}
