import type { Migration } from "@tenon/data";

export const migrations: readonly Migration[] = [
  {
    name: "sample-items-001",
    up: (db) =>
      db.schema
        .createTable("sample_items")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("title", "text", (column) => column.notNull())
        .addColumn("created_at", "text", (column) => column.notNull())
        .addColumn("updated_at", "text", (column) => column.notNull())
        .execute(),
    down: (db) => db.schema.dropTable("sample_items").execute(),
  },
];
