import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { toByteStream } from "@tenon/server/internal";
import { BindError } from "../support/errors.ts";
import { refuseType, tooLarge } from "./body-error.ts";
import { Form, isMultipart, tooManyParts, type UploadedFile } from "./form.ts";
import type { RequestLimits } from "./limits.ts";
import { findBoundary } from "./multipart.ts";
import { MultipartStream } from "./multipart-stream.ts";
import { decodeText, refuseForm } from "./part-head.ts";

/** A file that is read while it arrives. The client chooses name and type: trust neither, and build no path from the name. */
export class StreamedFile implements Omit<UploadedFile, "bytes"> {
  readonly field: string;
  readonly name: string;
  readonly type: string;
  /** The bytes, once. It fails with the error of the response when the file is too large or the client leaves. */
  readonly stream: ReadableStream<Uint8Array>;
  readonly #max: number;
  #size = 0;
  #error: unknown;

  constructor({ field, name, type }: Omit<UploadedFile, "bytes">, parts: MultipartStream, max: number) {
    this.field = field;
    this.name = name;
    this.type = type;
    this.#max = max;
    this.stream = toByteStream(this.#read(parts));
  }

  /** Bytes that were read so far. */
  get size(): number {
    return this.#size;
  }

  /** Why the stream failed; undefined when it did not. */
  get error(): unknown {
    return this.#error;
  }

  /** Writes the file to a path, which has the whole file or, after an error, what it had before. */
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
      this.#error = error;
      throw error;
    }
  }
}

export interface StreamedField {
  readonly name: string;
  /** Bytes of the file. */
  readonly max: number;
}

/**
 * The fields of a multipart form up to its streamed file, and that file: a record for a schema to validate. `limits.body`
 * is for all but the file.
 */
export async function readStreamedForm(
  chunks: AsyncIterable<Uint8Array>,
  contentType: string,
  field: StreamedField,
  limits: Pick<RequestLimits, "formParts" | "body">,
): Promise<Record<string, unknown>> {
  if (!isMultipart(contentType)) refuseType(contentType);
  const parts = new MultipartStream(chunks, findBoundary(contentType), limits.body);
  const fields: [string, string][] = [];
  for (let count = 1; ; count++) {
    const part = await parts.next();
    if (part === undefined) break;
    if (count > limits.formParts) throw tooManyParts(limits.formParts);
    const { name, fileName, type } = part;
    if ("bytes" in part) fields.push([name, decodeText(part.bytes)]);
    else if (fileName === "" && parts.isEmpty)
      continue; // no file was chosen: browsers still send the field
    else if (name !== field.name) refuseForm("has a file that is not declared");
    else {
      const head = { field: name, name: String(fileName), type }; // a part without bytes is a file, which has a name
      return Object.assign(new Form(fields).toInput(), { [name]: new StreamedFile(head, parts, field.max) });
    }
  }
  await parts.finish();
  return new Form(fields).toInput();
}
