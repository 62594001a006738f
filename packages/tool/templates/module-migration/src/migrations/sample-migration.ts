import type { Migration } from "@tenon/data";

{% if (column || table) { -%}
/** Remove this line when the migration is complete: until then, it does not run. */
export const draft = true;

{% } -%}
{% if (column) { -%}
export const up: Migration["up"] = (db) => {%= column.up %};

export const down: Migration["down"] = (db) => {%= column.down %};
{% } else if (table) { -%}
export const up: Migration["up"] = (db) =>
  db.schema
    .createTable("{%= table %}")
    .addColumn("id", "uuid", (column) => column.primaryKey())
    .execute();

export const down: Migration["down"] = (db) => db.schema.dropTable("{%= table %}").execute();
{% } else { -%}
export const up: Migration["up"] = () => Promise.reject(new Error("write src/migrations/sample-migration.ts first"));

export const down: Migration["down"] = () => Promise.reject(new Error("write src/migrations/sample-migration.ts first"));
{% } -%}
