import { type PartHead, parseParameters, parsePartHead, refuseForm } from "./part-head.ts";

export interface Part extends PartHead {
  /** A view into the body. */
  readonly bytes: Uint8Array;
}

export const maxHeadBytes = 8 * 1024;
const lineEnd = 0x0d0a;
const dashes = 0x2d2d;

// RFC 2046, 5.1.1
const boundaryGrammar = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/;

/** What separates the parts, from the content type. */
export function findBoundary(contentType: string): string {
  const boundary = parseParameters(contentType, contentType.indexOf(";"))?.get("boundary");
  if (boundary === undefined || !boundaryGrammar.test(boundary)) return refuseForm("has no boundary");
  return boundary;
}

/** The parts one by one, so that the caller can stop at its limit. Text before the first and after the last is ignored. */
export function* parseMultipart(body: Uint8Array, boundary: string): Generator<Part, void, undefined> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength); // the same memory: it searches faster
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const first = delimiter.subarray(2); // at the very start there is no line before it
  let at = bytes.subarray(0, first.byteLength).equals(first) ? -2 : bytes.indexOf(delimiter);
  if (at === -1) refuseForm("has no part");
  for (;;) {
    const start = findPartStart(bytes, at + delimiter.byteLength);
    if (start === undefined) return;
    at = bytes.indexOf(delimiter, start);
    if (at < 0) refuseForm("has no end");
    yield readPart(bytes, start, at);
  }
}

/** The index after a delimiter's line; undefined after the last delimiter, which ends in two dashes. */
export function findPartStart(bytes: Buffer, end: number): number | undefined {
  const last = startsWith(bytes, end, dashes);
  let index = last ? end + 2 : end;
  while (bytes[index] === 0x20 || bytes[index] === 0x09) index++;
  if (last && index === bytes.byteLength) return undefined;
  // one parser would read it as content and another as a delimiter, which could hide a part
  if (!startsWith(bytes, index, lineEnd)) refuseForm("has a delimiter that goes on");
  return last ? undefined : index + 2;
}

function startsWith(bytes: Buffer, index: number, pair: number): boolean {
  return index + 2 <= bytes.byteLength && bytes.readUInt16BE(index) === pair;
}

/** A field or a file that has arrived as a whole, between two delimiters. */
export function readPart(bytes: Buffer, start: number, end: number): Part {
  const blank = bytes.subarray(start, Math.min(end, start + maxHeadBytes) + 2).indexOf("\r\n\r\n");
  if (blank < 0) refuseForm("has a part without an end of its headers, or with too many of them");
  const content = Math.min(start + blank + 4, end); // a part without content may end with its headers
  return {
    ...parsePartHead(bytes.subarray(start, start + blank)),
    bytes: new Uint8Array(bytes.buffer, bytes.byteOffset + content, end - content), // never a Buffer, whatever the engine passed
  };
}
