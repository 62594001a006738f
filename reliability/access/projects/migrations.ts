import type { Migration } from "@tenon/data";

export const migrations: readonly Migration[] = [
  {
    name: "001-projects",
    async up(db) {
      await db.schema
        .createTable("projects")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("name", "text", (column) => column.notNull())
        .addColumn("created_at", "timestamptz(3)", (column) => column.notNull())
        .execute();
      await db.schema
        .createTable("members")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("project_id", "text", (column) => column.notNull().references("projects.id").onDelete("cascade"))
        .addColumn("email", "text", (column) => column.notNull())
        .addColumn("role", "text", (column) => column.notNull())
        .addUniqueConstraint("members_project_email", ["project_id", "email"])
        .execute();
      await db.schema
        .createTable("tasks")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("project_id", "text", (column) => column.notNull().references("projects.id").onDelete("cascade"))
        .addColumn("author_id", "text", (column) => column.notNull())
        .addColumn("title", "text", (column) => column.notNull())
        .addColumn("done", "boolean", (column) => column.notNull())
        .addColumn("created_at", "timestamptz(3)", (column) => column.notNull())
        .addColumn("deleted_at", "timestamptz(3)")
        .execute();
      await db.schema
        .createTable("comments")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("task_id", "text", (column) => column.notNull().references("tasks.id").onDelete("cascade"))
        .addColumn("author_id", "text", (column) => column.notNull())
        .addColumn("text", "text", (column) => column.notNull())
        .addColumn("created_at", "timestamptz(3)", (column) => column.notNull())
        .execute();
    },
  },
];
