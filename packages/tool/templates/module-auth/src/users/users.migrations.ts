import type { Migration } from "@tenon/data";

export const migrations: readonly Migration[] = [
  {
    name: "users-001",
    up: (db) =>
      db.schema
        .createTable("users")
        .addColumn("id", "uuid", (column) => column.primaryKey())
        .addColumn("email", "text", (column) => column.notNull().unique())
        .addColumn("password", "text", (column) => column.notNull())
        .addColumn("role", "text", (column) => column.notNull())
        .addColumn("created_at", "timestamptz(3)", (column) => column.notNull())
        .execute(),
    down: (db) => db.schema.dropTable("users").execute(),
  },
];
