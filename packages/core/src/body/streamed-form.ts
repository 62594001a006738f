import { refuseType } from "./body-reader.ts";
import { type FormLimits, isMultipart, tooManyParts } from "./form.ts";
import { decodeText, refuseForm } from "./form-text.ts";
import { findBoundary } from "./multipart.ts";
import { MultipartStream } from "./multipart-stream.ts";
import { StreamedFile } from "./streamed-file.ts";

export interface StreamedField {
  readonly name: string;
  /** Bytes of the file. */
  readonly max: number;
}

export interface StreamedFormParts {
  readonly contentType: string;
  readonly field: StreamedField;
  /** `body` is for all but the file. */
  readonly limits: Pick<FormLimits, "formParts"> & { readonly body: number };
}

/** The fields of a multipart form up to its streamed file, and that file: a record for a schema to validate. */
export async function readStreamedForm(
  chunks: AsyncIterable<Uint8Array>,
  { contentType, field, limits }: StreamedFormParts,
): Promise<Record<string, unknown>> {
  if (!isMultipart(contentType)) refuseType(contentType);
  const parts = new MultipartStream(chunks, findBoundary(contentType), limits.body);
  const record: Record<string, unknown> = Object.create(null);
  for (let count = 1; ; count++) {
    const part = await parts.next();
    if (part === undefined) break;
    if (count > limits.formParts) throw tooManyParts(limits.formParts);
    const { name, fileName, type } = part;
    if ("bytes" in part) {
      const value = decodeText(part.bytes);
      record[name] = name in record ? [record[name], value].flat() : value;
    } else if (fileName === "" && parts.isEmpty)
      continue; // no file was chosen: browsers still send the field
    else if (name !== field.name) refuseForm("has a file that is not declared");
    else {
      const head = { field: name, name: String(fileName), type }; // a part without bytes is a file, which has a name
      return { ...record, [name]: new StreamedFile(head, parts, field.max) };
    }
  }
  await parts.finish();
  return record;
}
