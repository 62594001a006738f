import type { FileHandle } from "node:fs/promises";
import type { ByteRange } from "./byte-range.ts";

const chunkSize = 64 * 1024;

// a reply that is thrown away unread tells nobody; node ends the process over a handle that it finds open and forgotten
const forgotten = new FinalizationRegistry<FileHandle>((handle) => void handle.close().catch(() => {}));

/**
 * A part of an open file, chunk by chunk. Not a stream of node's: one that nobody began to read keeps its file open.
 * The handle closes with the last chunk, on an error, and when the reader wants no more.
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
      // the length is announced: only a cut connection can still say that the body is not whole
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
