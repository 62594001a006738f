import { mediaTypeOf } from "@tenon/server/internal";
import type { UploadedFile } from "../body/form.ts";
import { type StreamedField, StreamedFile } from "../body/streamed-file.ts";
import { Field, type Kind } from "./field.ts";
import { report } from "./found-issue.ts";
import type { IsPresent } from "./infer.ts";
import { bounds, toWords } from "./scalars.ts";
import type { FileTag, Grammar, RuleMaker } from "./tags.ts";

/** The client chooses the type of a file, so this catches only honest errors. */
function type(argument: string | undefined): ReturnType<RuleMaker> {
  const allowed = toWords(argument?.toLowerCase());
  const exact = allowed.length === 1 && !allowed[0]?.endsWith("*");
  const matches = (given: string) =>
    allowed.some((range) => range === given || (range.endsWith("/*") && given.startsWith(range.slice(0, -1))));
  return {
    message: `must be of type ${allowed.join(", ")}`,
    passes: (value) => matches(mediaTypeOf((value as { readonly type: string }).type)), // a file, by its kind
    keywords: exact ? { contentMediaType: allowed[0] } : {},
    inexact: !exact,
  };
}

/** Zero for a streamed file, which is measured while it arrives. */
const sizeOf = (value: unknown) => (value as { readonly bytes?: Uint8Array }).bytes?.byteLength ?? 0;
const { max: maxBytes } = bounds(sizeOf, ["minLength", "maxLength"], "bytes");
const fileTags: Grammar = { modes: ["required", "stream"], rules: { max: maxBytes, type } };

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
    grammar: fileTags,
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
