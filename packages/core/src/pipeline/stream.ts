export type Chunk = string | Uint8Array;

/** What a stream turned out to be after its first chunk. */
export interface OpenedStream {
  readonly type: string;
  readonly chunks: AsyncIterable<Chunk>;
}

/** Waits for the first chunk: it tells the content type, and a stream that fails at once is answered with an error. */
export async function openStream(source: AsyncIterable<unknown>): Promise<OpenedStream> {
  const iterator = source[Symbol.asyncIterator]();
  const first = await iterator.next();
  return { type: first.done === true ? octets : typeOf(first.value), chunks: resume(iterator, first) };
}

const octets = "application/octet-stream";

async function* resume(iterator: AsyncIterator<unknown>, first: IteratorResult<unknown>): AsyncGenerator<Chunk> {
  try {
    for (let step = first; step.done !== true; step = await iterator.next()) yield toChunk(step.value);
  } finally {
    await iterator.return?.(); // reached early when the client goes away: the source must learn of it
  }
}

/** Text and bytes pass as they are; any other value becomes one line of JSON. */
export function toChunk(value: unknown): Chunk {
  if (typeof value === "string" || value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return `${toJson(value)}\n`;
}

function typeOf(value: unknown): string {
  if (typeof value === "string") return "text/plain; charset=utf-8";
  return value instanceof Uint8Array || value instanceof ArrayBuffer ? octets : "application/x-ndjson";
}

/** JSON text, or an error that says which kind of value cannot be written as JSON. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`a ${typeof value} cannot be written as JSON`);
  return text;
}
