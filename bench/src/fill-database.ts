// `node src/fill-database.ts <file>`: the tables as the reference service makes them, and a thousand posts in them.
import { DatabaseSync } from "node:sqlite";
import { api, createApp } from "@tenon/core";
import { createAppModule } from "../../apps/reference/src/app.module.ts";
import { secret } from "../peers/support/data.ts";
import { authorAt, authorCount, postAt, postCount } from "../peers/support/posts-database.ts";

const [, , file = ""] = process.argv;
const config = { databaseUrl: `sqlite:${file}`, jwtSecret: secret };
const app = await createApp(createAppModule(), api(), { config, log: { level: "warn" } });
await app.start();
await app.stop();

const database = new DatabaseSync(file);
database.exec("begin");
const addUser = database.prepare(
  "insert into users (id, email, email_key, password, name, created_at) values (?, ?, ?, '-', ?, ?)",
);
for (let index = 0; index < authorCount; index++) {
  const { id, email, name, created_at } = authorAt(index);
  addUser.run(id, email, email, name, created_at);
}
const addPost = database.prepare("insert into posts values (?, ?, ?, ?, 1, ?, ?)");
for (let index = 0; index < postCount; index++) {
  const { id, title, content, author_id, created_at, updated_at } = postAt(index);
  addPost.run(id, title, content, author_id, created_at, updated_at);
}
database.exec("commit");
database.close();
