// Do lists and single posts stay as fast when the table grows? Fills a store with up to 100,000 posts and reads them
// over HTTP at 1,000, 10,000 and 100,000. Exit code 1 when a median at 100,000 is over 1.5 times the one at 1,000, or a
// query does not use its index. On a temporary SQLite file, or on the database of DATABASE_URL, which must be empty.
import { randomInt, randomUUID } from "node:crypto";
import { Database } from "@tenon/data";
import { sql } from "kysely";
import type { PostsTable, Schema } from "../src/database/schema.ts";
import { explain, recordQueries } from "./support/query-plans.ts";
import { register, startReferenceApp } from "./support/reference-app.ts";
import { median, milliseconds } from "./support/statistics.ts";

const sizes = [1000, 10_000, 100_000];
const authors = 20;
const batch = 500;
const rounds = 100;
const repeats = 5;
const maxGrowth = 1.5;
const limit = 50;

const databaseUrl = process.env.DATABASE_URL;
const { app, url, stop } = await startReferenceApp({
  bcryptCost: 10,
  ...(databaseUrl === undefined ? {} : { databaseUrl }),
});
const db = app.get(Database<Schema>);
const authorIds: string[] = [];
const ids: string[] = [];
let token = "";

async function fill(size: number): Promise<void> {
  while (ids.length < size) {
    const posts = Array.from({ length: Math.min(batch, size - ids.length) }, (_, index) => newPost(ids.length + index));
    await db.insertInto("posts").values(posts).execute();
    ids.push(...posts.map(({ id }) => id));
    if (ids.length % 20_000 === 0) console.log(`  ${ids.length} posts`);
  }
  if (db.kind === "postgres") await sql`analyze`.execute(db); // PostgreSQL does so by itself after a while, SQLite never
}

/** Nine of ten are published; several share a millisecond. */
function newPost(index: number): PostsTable {
  const time = new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 3) * 1000).toISOString();
  return {
    id: randomUUID(),
    title: `Post ${index}`,
    content: "A text of a few lines. ".repeat(20),
    author_id: authorIds[index % authors] ?? "",
    published: index % 10 !== 0,
    created_at: time,
    updated_at: time,
  };
}

async function get(path: string): Promise<{ readonly next: string | undefined; readonly posts: unknown }> {
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  const posts: unknown = await response.json();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${JSON.stringify(posts)}`);
  return { next: /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1], posts };
}

/** A page near the end, reached by its links as a client would. */
async function deepPage(size: number): Promise<string> {
  const step = Math.min(1000, size / 10);
  let next: string | undefined = `/posts?limit=${step}`;
  for (let seen = 0; seen < 0.8 * size && next !== undefined; seen += step) next = (await get(next)).next;
  if (next === undefined) throw new Error("the list ended too early");
  return next.replace(/limit=\d+/, `limit=${limit}`);
}

const kinds = ["first page", "deep page", "one post"] as const;
type Kind = (typeof kinds)[number];

/** The lowest of a few medians, which leaves out the noise of the machine. */
async function measure(size: number): Promise<Record<Kind, number>> {
  const deep = await deepPage(size);
  const lowest: Record<Kind, number> = { "first page": Infinity, "deep page": Infinity, "one post": Infinity };
  for (let repeat = 0; repeat <= repeats; repeat++) {
    const times: Record<Kind, number[]> = { "first page": [], "deep page": [], "one post": [] };
    for (let round = 0; round < rounds; round++) {
      times["first page"].push(await timeOf(`/posts?limit=${limit}`));
      times["deep page"].push(await timeOf(deep));
      times["one post"].push(await timeOf(`/posts/${ids[randomInt(ids.length)]}`));
    }
    if (repeat === 0) continue; // the first one warms up
    for (const kind of kinds) lowest[kind] = Math.min(lowest[kind], median(times[kind]));
  }
  console.log(`${size} posts: ${kinds.map((kind) => `${kind} ${milliseconds(lowest[kind])}`).join(", ")}`);
  return lowest;
}

async function timeOf(path: string): Promise<number> {
  const start = performance.now();
  const { posts } = await get(path);
  const time = performance.now() - start;
  if (Array.isArray(posts) && posts.length !== limit) throw new Error(`${path} has ${posts.length} posts`);
  return time;
}

/** Whether each query uses an index, without sorting and without reading the earlier pages. */
async function checkPlans(size: number): Promise<boolean> {
  const deep = await deepPage(size);
  let good = true;
  for (const [name, path, expected] of [
    ["first page", `/posts?limit=${limit}`, /posts_published_newest/],
    ["deep page", deep, /posts_published_newest.*(?:created_at|ROW\()/s],
    ["my posts", `/my-posts?limit=${limit}`, /posts_author_newest/],
    ["one post", `/posts/${ids[0]}`, /posts_pkey|sqlite_autoindex_posts_1/],
  ] as const) {
    const [query] = await recordQueries(db as unknown as Database, () => get(path)); // the schema's type does not matter here
    const plan = query === undefined ? [] : await explain(db as unknown as Database, query);
    const text = plan.join("\n");
    const used = expected.test(text) && !/TEMP B-TREE|\bSort\b|Seq Scan on posts|SCAN posts(?! USING INDEX)/.test(text);
    good &&= used;
    console.log(`${used ? "met   " : "MISSED"} plan of ${name}:\n${plan.map((line) => `         ${line}`).join("\n")}`);
  }
  return good;
}

try {
  for (let author = 0; author < authors; author++) {
    token = await register(url, {
      email: `author${author}@example.com`,
      password: "a password",
      name: `Author ${author}`,
    });
  }
  const users = await db.selectFrom("users").select("id").execute();
  authorIds.push(...users.map(({ id }) => id));
  const results: Record<Kind, number>[] = [];
  for (const size of sizes) {
    await fill(size);
    results.push(await measure(size));
  }
  let met = await checkPlans(sizes.at(-1) ?? 0);
  for (const kind of kinds) {
    const growth = (results.at(-1)?.[kind] ?? 0) / (results[0]?.[kind] ?? 0);
    met &&= growth <= maxGrowth;
    console.log(
      `${growth <= maxGrowth ? "met   " : "MISSED"} ${kind}: ${growth.toFixed(2)} times (at most ${maxGrowth})`,
    );
  }
  process.exitCode = met ? 0 : 1;
} finally {
  await stop();
}
