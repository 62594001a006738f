import { createHash } from "node:crypto";
import { HttpError } from "@tenon/core";
import { readIfPresent } from "./application.ts";
import type { Change } from "./changes.ts";

export const recordFile = ".tenon/generated.json";

/** The hashes of generated files by path, for each generated thing: `module posts`, `service mailer`. */
export type GeneratedRecord = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export function readRecord(folder: string): GeneratedRecord {
  try {
    const record: unknown = JSON.parse(readIfPresent(folder, recordFile) ?? "{}");
    return Object(record) as GeneratedRecord; // only this tool writes the file
  } catch {
    throw new HttpError(409, `${recordFile} is not JSON: nothing was changed`);
  }
}

/**
 * The change of the record for created files. A file that was unchanged since its generation and is wired again counts
 * as unchanged, so that `tenon destroy` may remove it.
 */
export function recordChanges(folder: string, key: string, changes: readonly Change[]): Change {
  const record = readRecord(folder);
  const created = changes.filter(({ before }) => before === undefined);
  const own = Object.fromEntries(created.map(({ path, after = "" }) => [path, hashOf(after)]));
  const edited = new Map(changes.map((change) => [change.path, change]));
  const others = Object.entries(record).map(([name, files]) => [
    name,
    Object.fromEntries(
      Object.entries(files).map(([path, hash]) => {
        const { before, after } = edited.get(path) ?? {};
        return [path, before !== undefined && after !== undefined && hashOf(before) === hash ? hashOf(after) : hash];
      }),
    ),
  ]);
  return toRecordChange(folder, { ...Object.fromEntries(others), [key]: own });
}

export function toRecordChange(folder: string, record: GeneratedRecord): Change {
  const after = Object.keys(record).length === 0 ? undefined : `${JSON.stringify(record, undefined, 2)}\n`;
  return { path: recordFile, before: readIfPresent(folder, recordFile), after };
}
