import type { UploadedFile } from "../body/form.ts";
import { type StreamedField, StreamedFile } from "../body/streamed-file.ts";
import { Field, type Kind } from "./field.ts";
import { report } from "./found-issue.ts";
import type { IsPresent } from "./infer.ts";
import type { FileTag } from "./tags.ts";

type FileOf<Tags extends readonly string[]> = "stream" extends Tags[number] ? StreamedFile : UploadedFile;

/**
 * A file of a multipart form: `file("required", "max=1000000", "type=image/png image/jpeg")`. With "stream" the handler
 * reads it while it arrives.
 */
export function file<const Tags extends readonly FileTag[]>(...tags: Tags): Field<FileOf<Tags>, IsPresent<Tags>> {
  const isStreamed = tags.includes("stream");
  const max = Number(tags.find((tag) => tag.startsWith("max="))?.slice("max=".length));
  const typed = tags.some((tag) => tag.startsWith("type="));
  if (isStreamed && !(Number.isSafeInteger(max) && max >= 0)) {
    throw new TypeError('a file() with "stream" needs "max=" with a number of bytes');
  }
  const isFile = isStreamed ? (input: unknown) => input instanceof StreamedFile : isUploadedFile;
  const kind: Kind<FileOf<Tags>> = {
    name: "file",
    family: "file",
    read: (input, issues) => {
      if (!isFile(input)) report(issues, "file", "must be a file");
      return input as FileOf<Tags>; // not used when there is an issue
    },
    compileSelect: () => {
      throw new TypeError("a file() can be received, but not returned. Declare the response without it.");
    },
    textForm: "none",
    ...(isStreamed ? { streamLimit: max } : {}),
    toSchema: () => ({
      type: "string",
      format: "binary",
      ...(typed ? {} : { contentMediaType: "application/octet-stream" }),
    }),
  };
  return new Field<FileOf<Tags>, IsPresent<Tags>>(kind, tags);
}

/** The field of a form that is streamed. */
export function findStreamedField(fields: Readonly<Record<string, Field>>): StreamedField | undefined {
  for (const [name, { streamLimit }] of Object.entries(fields)) {
    if (streamLimit !== undefined) return { name, max: streamLimit };
  }
  return undefined;
}

/** JSON cannot imitate it, because JSON has no bytes. */
function isUploadedFile(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { name, type, bytes } = value as Partial<Record<keyof UploadedFile, unknown>>;
  return typeof name === "string" && typeof type === "string" && bytes instanceof Uint8Array;
}
