{% const toIndex = (name) => `${"sample_items".slice(0, 62 - name.length)}_${name}`; /* PostgreSQL cuts a name after 63 characters */ -%}
import type { Migration } from "@tenon/data";

export const migrations: readonly Migration[] = [
  {
    name: "sample-items-001",
    async up(db) {
      await db.schema
        .createTable("sample_items")
        .addColumn("id", "uuid", (column) => column.primaryKey())
{% for (const field of fields) { -%}
        .addColumn({%= field.code.column %})
{% } -%}
        .addColumn("created_at", "timestamptz(3)", (column) => column.notNull())
        .addColumn("updated_at", "timestamptz(3)", (column) => column.notNull())
        .execute();
      // the order of the list: without it, each page would sort the whole table
      await db.schema.createIndex("{%= toIndex("created_at") %}").on("sample_items").columns(["created_at", "id"]).execute();
{% if (owner) { -%}
      await db.schema.createIndex("{%= toIndex("user_id") %}").on("sample_items").columns(["user_id", "created_at", "id"]).execute();
{% } -%}
{% for (const { name } of inputs.filter(({ target }) => target)) { -%}
      await db.schema.createIndex("{%= toIndex(name) %}").on("sample_items").column("{%= name %}").execute();
{% } -%}
    },
    down: (db) => db.schema.dropTable("sample_items").execute(),
  },
];
