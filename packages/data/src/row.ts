import type { Dto, Infer, JsonValue } from "@tenon/core";

/** A time is RFC 3339 text, also within JSON. */
type Stored<T> = JsonValue extends T
  ? JsonValue
  : T extends Date
    ? string
    : T extends object
      ? { -readonly [K in keyof T]: Stored<T[K]> }
      : T;

/**
 * What a query gives for a table whose columns are the fields of a DTO, the same on both databases: every field is there,
 * and one that may be absent is null. It is also the type of the table: `interface Schema { posts: Row<typeof Post> }`.
 */
export type Row<D extends Dto> = {
  -readonly [K in keyof D["fields"]]:
    | Stored<D["fields"][K]["output"]>
    | (D["fields"][K]["presence"] extends true | "default" ? never : null);
};

/** The columns of an input: those that it leaves out may be absent. */
type Columns<D extends Dto> = { [K in keyof Infer<D>]: Stored<Exclude<Infer<D>[K], undefined>> };

/**
 * The fields of an input as columns, to insert or to set: `{ id, ...toRow(CreatePost, input) }`. What is absent stays
 * absent: an insert stores null, and an update leaves the column alone. Lists, objects and any JSON are for `jsonb` columns.
 */
export function toRow<D extends Dto>(dto: D, input: Infer<D>): Columns<D> {
  const row: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(dto.fields)) {
    const value = (input as Record<string, unknown>)[name]; // it has fields of the DTO only
    if (value === undefined) continue;
    if (value instanceof Date) row[name] = value.toISOString();
    else if (typeof value === "string" && field.tags.includes("uuid"))
      row[name] = value.toLowerCase(); // as PostgreSQL
    else row[name] = field.isScalar || value === null ? value : JSON.stringify(value);
  }
  return row as Columns<D>; // every field was written by its kind; a column reads the JSON text as the value again
}
