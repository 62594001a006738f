// `node src/fill-database.ts <url>`: the tables as the reference service makes them, and a thousand posts in them.
import { api, createApp } from "@tenon/core";
import { Database, sql } from "@tenon/data";
import { createAppModule } from "../../apps/reference/src/app.module.ts";
import type { Schema } from "../../apps/reference/src/database/schema.ts";
import { secret } from "../peers/support/data.ts";
import { authorAt, authorCount, postAt, postCount } from "../peers/support/posts-database.ts";

const batch = 100;
const [, , databaseUrl = ""] = process.argv;
const config = { databaseUrl, jwtSecret: secret };
const app = await createApp(createAppModule(), api(), { config, log: { level: "warn" } });
await app.start();
const db = app.get(Database<Schema>);
const users = Array.from({ length: authorCount }, (_, index) => authorAt(index));
const withLogin = users.map((user) => ({ ...user, email_key: user.email, password: "-", role: "user" as const }));
await db.insertInto("users").values(withLogin).execute();
for (let first = 0; first < postCount; first += batch) {
  const posts = Array.from({ length: batch }, (_, index) => postAt(first + index));
  await db
    .insertInto("posts")
    .values(posts.map(({ author: _, ...post }) => post))
    .execute();
}
if (db.kind === "postgres") await sql`analyze`.execute(db);
await app.stop();
