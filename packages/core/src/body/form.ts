import { mediaTypeOf } from "@tenon/server/internal";
import type { HttpError } from "../support/errors.ts";
import { decodePercent } from "../support/path.ts";
import { refuseType, tooLarge } from "./body-error.ts";
import type { RequestLimits } from "./limits.ts";
import { findBoundary, parseMultipart } from "./multipart.ts";
import { decodeText, refuseForm } from "./part-head.ts";
import { splitPairs, toRecord } from "./query.ts";

/** An uploaded file. The client chooses name and type: trust neither, and build no path from the name. */
export interface UploadedFile {
  readonly field: string;
  /** The last segment only, without control characters; may be empty. */
  readonly name: string;
  /** Defaults to `application/octet-stream`. */
  readonly type: string;
  /** A view into the body of the request: copy it to keep it longer than the request. */
  readonly bytes: Uint8Array;
}

export type FormLimits = Pick<RequestLimits, "formParts" | "files" | "fileSize">;

/** The fields and files of a form. Names are flat: `a[b]` is a field named `a[b]`. */
export class Form {
  readonly files: readonly UploadedFile[];
  readonly #fields: readonly (readonly [name: string, value: string])[];

  constructor(fields: Iterable<readonly [name: string, value: string]>, files: readonly UploadedFile[] = []) {
    this.#fields = [...fields];
    this.files = files;
  }

  /** A field; "" when it is absent, the first one when it is repeated. */
  get(name: string): string {
    return this.all(name)[0] ?? "";
  }

  /** Every value of a field, in the order in which they were sent. */
  all(name: string): readonly string[] {
    return this.#fields.filter(([field]) => field === name).map(([, value]) => value);
  }

  /** Whether the form has the field, blank or not. */
  has(name: string): boolean {
    return this.#fields.some(([field]) => field === name);
  }

  /** The names of the fields, each once. */
  names(): Iterable<string> {
    return new Set(this.#fields.map(([name]) => name));
  }

  /** The first file of that field; undefined when none was chosen. */
  file(name: string): UploadedFile | undefined {
    return this.files.find((file) => file.field === name);
  }

  /** Fields and files as a map without a prototype, for a schema to validate. Repeated names give lists. */
  toInput(): Record<string, unknown> {
    const record: Record<string, unknown> = this.toRecord();
    for (const file of this.files) {
      const present = record[file.field];
      record[file.field] = present === undefined ? file : [present, file].flat();
    }
    return record;
  }

  /** The fields as a map without a prototype, new on each call. Repeated names give lists. */
  toRecord(): Record<string, string | string[]> {
    return toRecord(this.#fields);
  }
}

const urlencoded = "application/x-www-form-urlencoded";
const multipart = "multipart/form-data";

/** Whether a browser sends this type for a form. `text/plain` does not count: it cannot be parsed reliably. */
export function isForm(contentType: string): boolean {
  const type = mediaTypeOf(contentType);
  return type === urlencoded || type === multipart;
}

/** The only type that carries files. */
export function isMultipart(contentType: string): boolean {
  return mediaTypeOf(contentType) === multipart;
}

/** Form bytes → fields and files. A BindError when they cannot be read, which never quotes them; 413 past a limit. */
export function parseForm(body: Uint8Array, contentType: string, limits: FormLimits): Form {
  const type = mediaTypeOf(contentType);
  if (type === urlencoded) return new Form(parseUrlencoded(body, limits.formParts));
  if (type === multipart) return toForm(body, contentType, limits);
  return refuseType(contentType);
}

function toForm(body: Uint8Array, contentType: string, limits: FormLimits): Form {
  const fields: [string, string][] = [];
  const files: UploadedFile[] = [];
  let count = 0;
  for (const { name, fileName, type, bytes } of parseMultipart(body, findBoundary(contentType))) {
    if (++count > limits.formParts) throw tooManyParts(limits.formParts);
    if (fileName === undefined) fields.push([name, decodeText(bytes)]);
    else if (fileName !== "" || bytes.byteLength > 0) {
      if (files.length === limits.files) throw tooLarge(`The form has more files than limits.files, ${limits.files}.`);
      if (bytes.byteLength > limits.fileSize) {
        throw tooLarge(`A file has more bytes than limits.fileSize, ${limits.fileSize}.`);
      }
      files.push({ field: name, name: fileName, type, bytes });
    } // else no file was chosen: browsers still send the field
  }
  return new Form(fields, files);
}

export function tooManyParts(limit: number): HttpError {
  return tooLarge(`The form has more fields and files than limits.formParts, ${limit}.`);
}

function parseUrlencoded(body: Uint8Array, maxPairs: number): [string, string][] {
  const pairs = splitPairs(decodeText(withSpaces(body)), maxPairs);
  if (pairs === undefined) throw tooManyParts(maxPairs);
  return pairs.map(([name, value]) => [decode(name), decode(value)]);
}

function decode(text: string): string {
  return decodePercent(text) ?? refuseForm("has malformed percent-encoding");
}

/** `+` is a space. In the bytes, because a text of a million of them takes a quarter of a second to change. */
function withSpaces(body: Uint8Array): Uint8Array {
  let plus = body.indexOf(0x2b);
  if (plus < 0) return body;
  const bytes = new Uint8Array(body); // a copy: others read the body too
  for (; plus < bytes.length; plus++) if (bytes[plus] === 0x2b) bytes[plus] = 0x20;
  return bytes;
}
