import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { BindError } from "../support/errors.ts";
import { tooLarge } from "./body-reader.ts";
import type { UploadedFile } from "./form.ts";
import type { MultipartStream } from "./multipart-stream.ts";

/** A file that is read while it arrives. The client chooses name and type: trust neither, and build no path from the name. */
export class StreamedFile implements Omit<UploadedFile, "bytes"> {
  readonly field: string;
  readonly name: string;
  readonly type: string;
  /** The bytes, once. It fails with the error of the response when the file is too large or the client leaves. */
  readonly stream: ReadableStream<Uint8Array>;
  readonly #max: number;
  #size = 0;
  #failure: unknown;

  constructor({ field, name, type }: Omit<UploadedFile, "bytes">, parts: MultipartStream, max: number) {
    this.field = field;
    this.name = name;
    this.type = type;
    this.#max = max;
    const chunks = this.#read(parts);
    // ReadableStream.from() is not in TypeScript's types of browsers, with which applications share code
    this.stream = new ReadableStream(
      {
        async pull(controller) {
          const { done, value } = await chunks.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: () => void chunks.return(),
      },
      { highWaterMark: 0 },
    );
  }

  /** Bytes that were read so far. */
  get size(): number {
    return this.#size;
  }

  /** Why the stream failed; undefined when it did not. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Writes the file to a path, which has the whole file or, after a failure, what it had before. */
  async saveTo(path: string): Promise<void> {
    const partial = `${path}.${crypto.randomUUID()}.part`;
    try {
      await pipeline(this.stream, createWriteStream(partial, { flags: "wx" }));
      await rename(partial, path);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }

  async *#read(parts: MultipartStream): AsyncGenerator<Uint8Array, void> {
    try {
      for await (const chunk of parts.content()) {
        this.#size += chunk.byteLength;
        if (this.#size > this.#max)
          throw tooLarge(`The file "${this.field}" has more bytes than its max=${this.#max}.`);
        yield chunk;
      }
      const after = await parts.next();
      if (after !== undefined) {
        throw new BindError([
          { in: "body", path: after.name, rule: "order", message: "must come before the streamed file" },
        ]);
      }
      await parts.finish();
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }
}
