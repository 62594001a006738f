// The cost of the framework's stores compared with the bare driver, measured in one run: npm run bench:data
// Rounds are interleaved, and the median of the ratios counts: single times mean little on a busy machine.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { api, createApp, defineModule } from "@tenon/core";
import { Cache, Database, type DataOptions, dataModule, KeyValue } from "@tenon/data";
import pg from "pg";
import { createClient } from "redis";

interface Post {
  readonly id: string;
  readonly title: string;
  readonly content: string;
  readonly author_id: string;
  readonly published: number;
  readonly created_at: string;
  readonly updated_at: string;
}
interface Schema {
  bench_posts: Post;
}
interface Contender {
  readonly work: string;
  readonly bare: () => unknown;
  readonly ours: () => unknown;
  /** At most this many times the bare driver; undefined without a bar. */
  readonly bar?: number;
}

const rounds = 15;
const postgresUrl = process.env.TEST_POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/postgres";
const redisUrl = process.env.TEST_REDIS_URL ?? "redis://127.0.0.1:6379";
const createPosts =
  "create table bench_posts (id text primary key, title text, content text, author_id text, published integer, created_at text, updated_at text)";
const insertPost = "insert into bench_posts values ";
const listPosts = "select * from bench_posts order by id limit 50";

function post(index: number): Post {
  const time = "2026-01-01T00:00:00.000Z";
  return {
    id: `post-${String(index).padStart(8, "0")}`,
    title: `Title ${index}`,
    content: "Lorem ipsum dolor sit amet. ".repeat(8),
    author_id: `author-${index % 7}`,
    published: 1,
    created_at: time,
    updated_at: time,
  };
}

async function timePerCall(run: () => unknown, milliseconds: number): Promise<number> {
  const end = performance.now() + milliseconds;
  const start = performance.now();
  let calls = 0;
  while (performance.now() < end) {
    for (let burst = 0; burst < 10; burst++) await run();
    calls += 10;
  }
  return ((performance.now() - start) * 1000) / calls;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

let missed = 0;

async function compare(adapter: string, contenders: readonly Contender[]): Promise<void> {
  for (const { work, bare, ours, bar } of contenders) {
    const times: { bare: number; ours: number }[] = [];
    await timePerCall(bare, 100);
    await timePerCall(ours, 100);
    for (let round = 0; round < rounds; round++) {
      process.stderr.write(`\r${adapter}: ${work} ${"▪".repeat(round + 1)}${" ".repeat(rounds - round)}`);
      times.push({ bare: await timePerCall(bare, 60), ours: await timePerCall(ours, 60) });
    }
    process.stderr.write("\r\u001b[K");
    const ratio = median(times.map((time) => time.ours / time.bare));
    const verdict = bar === undefined ? "" : ratio <= bar ? `at most ${bar}: met` : `at most ${bar}: MISSED`;
    if (bar !== undefined && ratio > bar) missed++;
    const cell = (value: number) => value.toFixed(1).padStart(9);
    console.log(
      `${adapter.padEnd(11)}${work.padEnd(13)}${cell(median(times.map((time) => time.bare)))}${cell(median(times.map((time) => time.ours)))}${ratio.toFixed(2).padStart(8)}  ${verdict}`,
    );
  }
}

async function open(options: DataOptions) {
  const app = await createApp(defineModule({ name: "bench", imports: [dataModule(options)] }), api(), {
    log: { level: "silent" },
  });
  await app.start();
  return { app, db: app.get(Database<Schema>), store: app.get(KeyValue), cache: app.get(Cache) };
}

async function benchSqlite(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tenon-bench-"));
  const bare = new DatabaseSync(join(folder, "bare.db"));
  const { app, db, store, cache } = await open({ database: `sqlite:${join(folder, "ours.db")}` });
  try {
    bare.exec(`pragma journal_mode = wal; pragma synchronous = full; ${createPosts}`);
    bare.exec("create table kv (key text primary key, value text not null, expires_at integer) without rowid");
    await db.schema
      .createTable("bench_posts")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("title", "text")
      .addColumn("content", "text")
      .addColumn("author_id", "text")
      .addColumn("published", "integer")
      .addColumn("created_at", "text")
      .addColumn("updated_at", "text")
      .execute();
    const insert = bare.prepare(`${insertPost}(?, ?, ?, ?, ?, ?, ?)`);
    bare.exec("begin");
    for (let index = 0; index < 1000; index++) insert.run(...Object.values(post(index)));
    bare.exec("commit");
    await db.transaction().execute(async (transaction) => {
      for (let index = 0; index < 1000; index++)
        await transaction.insertInto("bench_posts").values(post(index)).execute();
    });
    const one = bare.prepare("select * from bench_posts where id = ?");
    const list = bare.prepare(listPosts);
    const get = bare.prepare("select value from kv where key = ? and (expires_at is null or expires_at > ?)");
    const set = bare.prepare(
      "insert into kv values (?, ?, ?) on conflict (key) do update set value = excluded.value, expires_at = excluded.expires_at",
    );
    const take = bare.prepare("delete from kv where key = ? returning value, expires_at");
    const { id } = post(500);
    let next = 1000;
    set.run("key", '"value"', null);
    await store.set("key", "value");
    await compare("SQLite", [
      {
        work: "read one",
        bare: () => one.get(id),
        ours: () => db.selectFrom("bench_posts").selectAll().where("id", "=", id).executeTakeFirst(),
        bar: 2.5,
      },
      {
        work: "list of 50",
        bare: () => list.all(),
        ours: () => db.selectFrom("bench_posts").selectAll().orderBy("id").limit(50).execute(),
      },
      {
        work: "insert",
        bare: () => insert.run(...Object.values(post(next++))),
        ours: () => db.insertInto("bench_posts").values(post(next++)).execute(),
        bar: 2.5,
      },
      {
        work: "get",
        bare: () => JSON.parse(String(get.get("key", Date.now())?.value)),
        ours: () => store.get("key"),
        bar: 1.5,
      },
      {
        work: "set and take",
        bare: () => {
          set.run("taken", '"value"', null);
          return take.get("taken");
        },
        ours: async () => {
          await store.set("taken", "value");
          return store.take("taken");
        },
        bar: 1.5,
      },
    ]);
    const map = new Map([["key", '"value"']]);
    await cache.set("key", "value");
    await compare("memory", [
      {
        work: "remember",
        bare: () => JSON.parse(map.get("key") ?? ""),
        ours: () => cache.remember("key", 60, () => "value"),
      },
    ]);
  } finally {
    await app.stop();
    bare.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchPostgres(): Promise<void> {
  const pool = new pg.Pool({ connectionString: postgresUrl, connectionTimeoutMillis: 1000 });
  await pool.query("drop table if exists bench_posts, bench_kv");
  await pool.query(createPosts);
  await pool.query("create table bench_kv (key text primary key, value text not null)");
  const values = "($1, $2, $3, $4, $5, $6, $7)";
  for (let index = 0; index < 1000; index++) await pool.query(`${insertPost}${values}`, Object.values(post(index)));
  const { app, db, store } = await open({ database: postgresUrl });
  try {
    const { id } = post(500);
    let next = 1000;
    await compare("PostgreSQL", [
      {
        work: "read one",
        bare: () => pool.query("select * from bench_posts where id = $1", [id]),
        ours: () => db.selectFrom("bench_posts").selectAll().where("id", "=", id).executeTakeFirst(),
      },
      {
        work: "list of 50",
        bare: () => pool.query(listPosts),
        ours: () => db.selectFrom("bench_posts").selectAll().orderBy("id").limit(50).execute(),
      },
      {
        work: "insert",
        bare: () => pool.query(`${insertPost}${values}`, Object.values(post(next++))),
        ours: () => db.insertInto("bench_posts").values(post(next++)).execute(),
      },
      {
        work: "set and take",
        bare: async () => {
          await pool.query(
            "insert into bench_kv values ('k', 'v') on conflict (key) do update set value = excluded.value",
          );
          await pool.query("delete from bench_kv where key = 'k' returning value");
        },
        ours: async () => {
          await store.set("bench", "value");
          return store.take("bench");
        },
      },
    ]);
  } finally {
    await app.stop();
    await pool.query("drop table bench_posts, bench_kv");
    await pool.end();
  }
}

async function benchRedis(): Promise<void> {
  const client = createClient({ url: redisUrl, socket: { reconnectStrategy: false } });
  client.on("error", () => {});
  await client.connect();
  const { app, store, cache } = await open({ database: "sqlite::memory:", keyValue: redisUrl, cache: redisUrl });
  try {
    await cache.set("bench", "value", 60);
    await store.set("bench", "value", { ttl: 60 });
    await client.set("bench", '"value"');
    await compare("Redis", [
      { work: "get", bare: () => client.get("bench"), ours: () => store.get("bench") },
      {
        work: "set and take",
        bare: async () => {
          await client.set("bench:bare", "value");
          await client.getDel("bench:bare");
        },
        ours: async () => {
          await store.set("bench:ours", "value");
          return store.take("bench:ours");
        },
      },
      {
        work: "remember",
        bare: () => client.get("bench"),
        ours: () => cache.remember("bench", 60, () => "value"),
      },
    ]);
    await client.del("bench");
  } finally {
    await app.stop();
    client.destroy();
  }
}

console.log(`Node ${process.version}; microseconds a call, medians of ${rounds} interleaved rounds`);
console.log(`${"".padEnd(24)}${"bare".padStart(9)}${"ours".padStart(9)}${"ratio".padStart(8)}`);
await benchSqlite();
for (const [name, run] of [
  ["PostgreSQL", benchPostgres],
  ["Redis", benchRedis],
] as const) {
  try {
    await run();
  } catch (error) {
    console.log(`${name} left out: ${error instanceof Error ? error.message || String(error) : String(error)}`);
  }
}
process.exitCode = missed === 0 ? 0 : 1;
