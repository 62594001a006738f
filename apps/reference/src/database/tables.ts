import { inject } from "@tenon/core";
import { type Migration, Migrations } from "@tenon/data";

const migrations: readonly Migration[] = [
  {
    name: "blog-001-users",
    up: (db) =>
      db.schema
        .createTable("users")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("email", "text", (column) => column.notNull())
        .addColumn("email_key", "text", (column) => column.notNull().unique())
        .addColumn("password", "text", (column) => column.notNull())
        .addColumn("name", "text", (column) => column.notNull())
        .addColumn("role", "text", (column) => column.notNull().defaultTo("user"))
        .addColumn("created_at", "text", (column) => column.notNull())
        .execute(),
  },
  {
    name: "blog-002-posts",
    up: async (db) => {
      await db.schema
        .createTable("posts")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("title", "text", (column) => column.notNull())
        .addColumn("content", "text", (column) => column.notNull())
        .addColumn("author_id", "text", (column) => column.notNull().references("users.id"))
        .addColumn("published", "boolean", (column) => column.notNull().defaultTo(false))
        .addColumn("created_at", "text", (column) => column.notNull())
        .addColumn("updated_at", "text", (column) => column.notNull())
        .execute();
      await db.schema
        .createIndex("posts_published_newest")
        .on("posts")
        .columns(["published", "created_at desc", "id desc"])
        .execute();
      await db.schema
        .createIndex("posts_author_newest")
        .on("posts")
        .columns(["author_id", "created_at desc", "id desc"])
        .execute();
    },
  },
];

/** Creates the User and Post tables when the application starts. */
export class Tables {
  constructor() {
    inject(Migrations).add(migrations);
  }
}
