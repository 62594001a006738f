import type { App } from "@tenon/core";
import { Database } from "@tenon/data";
import type { Schema } from "../../src/database/schema.ts";

/** The rows that sample items of the tests refer to, all with the same id. */
export async function createReferences(app: App): Promise<void> {
  const db = app.get(Database<Schema>);
{% for (const { table, values } of referencedRows) { -%}
  await db.insertInto("{%= table %}").values({ {%= values %} }).execute();
{% } -%}
}
