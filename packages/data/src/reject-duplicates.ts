import { BindError, type Issue } from "@tenon/core";
import { StoreError } from "./store-error.ts";

export interface DuplicateOptions {
  /** The part of the request that the columns come from. Defaults to `body`. */
  readonly in?: Issue["in"];
  /** Where in that part: `user` for `{ "user": { "email": … } }`. Defaults to the part itself. */
  readonly path?: string;
}

/**
 * Makes a violated unique constraint rejected input: an issue for each of its columns, next to the field of that name.
 * Other errors stay as they are.
 */
export async function rejectDuplicates<T>(
  write: Promise<T>,
  { in: part = "body", path = "" }: DuplicateOptions = {},
): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof StoreError) || error.constraint !== "unique" || error.columns.length === 0) throw error;
    const start = path === "" ? "" : `${path}.`;
    const issues = error.columns.map((column) => {
      return { in: part, path: `${start}${column}`, rule: "unique", message: "is already taken" };
    });
    throw new BindError(issues, { cause: error });
  }
}
