import type { UploadedFile } from "../body/form.ts";
import { Field, type Kind } from "./field.ts";
import { report } from "./found-issue.ts";
import type { IsPresent } from "./infer.ts";
import type { FileTag } from "./tags.ts";

/** A file of a multipart form: `file("required", "max=1000000", "type=image/png image/jpeg")`. */
export function file<const Tags extends readonly FileTag[]>(...tags: Tags): Field<UploadedFile, IsPresent<Tags>> {
  const typed = tags.some((tag) => tag.startsWith("type="));
  const kind: Kind<UploadedFile> = {
    name: "file",
    family: "file",
    read: (input, issues) => {
      if (!isUploadedFile(input)) report(issues, "file", "must be a file");
      return input as UploadedFile; // not used when there is an issue
    },
    compileSelect: () => {
      throw new TypeError("a file() can be received, but not returned. Declare the response without it.");
    },
    toSchema: () => ({
      type: "string",
      format: "binary",
      ...(typed ? {} : { contentMediaType: "application/octet-stream" }),
    }),
  };
  return new Field<UploadedFile, IsPresent<Tags>>(kind, tags);
}

/** JSON cannot imitate it, because JSON has no bytes. */
function isUploadedFile(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { name, type, bytes } = value as Partial<Record<keyof UploadedFile, unknown>>;
  return typeof name === "string" && typeof type === "string" && bytes instanceof Uint8Array;
}
