import type { FileHandle } from "node:fs/promises";

/** From `start` up to `end`, exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const single = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/i;

/** The part of `size` bytes that a `Range` header asks for. Undefined, all of it, for several ranges or a malformed header. */
export function parseRange(header: string, size: number): ByteRange | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = single.exec(header) ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size };
  }
  const start = Number(first);
  const end = last === "" ? size : Math.min(Number(last) + 1, size);
  if (last !== "" && Number(last) < start) return undefined;
  return start >= size ? "unsatisfiable" : { start, end };
}

const chunkSize = 64 * 1024;

// a reply that is dropped unread leaves its file open, and node crashes the process when it collects an open handle
const forgotten = new FinalizationRegistry<FileHandle>((handle) => void handle.close().catch(() => {}));

/**
 * A part of an open file, chunk by chunk. Not a stream of Node's: one that is never read keeps its file open.
 * The handle is closed after the last chunk, on an error, and when the reader stops.
 */
export class FileChunks implements AsyncIterableIterator<Uint8Array> {
  readonly #handle: FileHandle;
  readonly #end: number;
  #position: number;
  #closing: Promise<void> | undefined;

  constructor(handle: FileHandle, { start, end }: ByteRange) {
    this.#handle = handle;
    this.#position = start;
    this.#end = end;
    forgotten.register(this, handle, this);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    const wanted = Math.min(chunkSize, this.#end - this.#position);
    if (wanted <= 0 || this.#closing !== undefined) return this.return();
    try {
      const { bytesRead, buffer } = await this.#handle.read(Buffer.allocUnsafe(wanted), 0, wanted, this.#position);
      // the length is already sent: only a closed connection tells the client that the body is incomplete
      if (bytesRead === 0) throw new Error("the file became shorter while it was sent");
      this.#position += bytesRead;
      if (this.#position === this.#end) await this.#close();
      return { done: false, value: buffer.subarray(0, bytesRead) };
    } catch (error) {
      await this.#close();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    await this.#close();
    return { done: true, value: undefined };
  }

  #close(): Promise<void> {
    forgotten.unregister(this);
    this.#closing ??= this.#handle.close();
    return this.#closing;
  }
}
