import assert from "node:assert/strict";
import { randomInt, randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import type { TestHttpApp } from "@tenon/core/testing";
import { Database, StoreError } from "@tenon/data";
import { sql } from "kysely";
import pg from "pg";
import { until } from "../../../core/test/support/until.ts";
import { PostgresPool } from "../../src/database/postgres-pool.ts";
import { startProxy } from "../support/fault-proxy.ts";
import { nextClient } from "../support/next-client.ts";
import { services, withPostgres } from "../support/services.ts";
import { recovered, settle } from "../support/settle.ts";
import { withStores } from "../support/stores.ts";

/** Milliseconds: a machine that stalls must not look like a server that is down. */
const connectTimeout = 60_000;

test("a server that closes a connection right after accepting it fails a statement, not the process", async () => {
  const length = (bytes: number) => String.fromCharCode(0, 0, 0, bytes);
  const reason = "SFATAL\0VFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0";
  const welcome = `R${length(8)}${length(0)}Z${length(5)}I`;
  let accepted = 0;
  const server = createServer((socket) => {
    accepted++;
    socket.on("error", () => {});
    socket.once("data", () => socket.end(`${welcome}E${length(reason.length + 4)}${reason}`, "latin1"));
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)); // a TCP server's address
  });
  const pool = new PostgresPool(`postgres://someone@127.0.0.1:${port}/x`, { poolSize: 1, connectTimeout });
  try {
    for (let round = 0; round < 3; round++) {
      await assert.rejects(pool.query("select 1", []), { message: "store unavailable" });
      assert.ok(accepted > round, "the broken connection was not reused");
    }
  } finally {
    await pool.close();
    server.close();
  }
});

if (services.postgres !== undefined) {
  const direct = services.postgres;

  test("no slot of the pool is lost when connections break in every way", async () => {
    const { proxy, url } = await startProxy(direct, 5432);
    const pool = new PostgresPool(url, { poolSize: 3 });
    try {
      for (const fault of ["refused", "silent", "refused"] as const) {
        await recovered(() => pool.query("select 1", []));
        const running = Array.from({ length: 6 }, () => settle(pool.query("select pg_sleep(0.1)", [])));
        await proxy.become(fault);
        await Promise.all(running);
        await proxy.become("none");
      }
      await recovered(() => pool.query("select 1", []));
      const read = () => recovered(() => pool.query("select 1 as one", [])); // a slow machine exceeds the timeout of 1.5 s
      const results = await Promise.all(Array.from({ length: 12 }, read));
      assert.ok(results.every(({ rows }) => rows.length === 1));
      const sessions = await Promise.all([1, 2, 3].map(() => recovered(() => pool.acquire()))); // every slot is free again
      await assert.rejects(pool.acquire(), { message: "store unavailable" }, "the pool has 3 slots");
      for (const session of sessions) session.release();
    } finally {
      await pool.close();
      await proxy.stop();
    }
  });

  test("a connection that is reset during an idle transaction fails only that transaction", async () => {
    const { proxy, url } = await startProxy(direct, 5432);
    const pool = new PostgresPool(url, { poolSize: 1, connectTimeout });
    try {
      for (const asksAgain of [true, false]) {
        const connected = nextClient();
        const session = await pool.acquire();
        const socket = await connected;
        // after its close the driver has reported the reset, and then the end
        const closed = new Promise((resolve) => socket.once("close", resolve));
        await session.query("begin", []);
        await proxy.become("reset");
        await assert.rejects(session.query("select 1", []), { message: "store unavailable" });
        await closed;
        if (asksAgain) await assert.rejects(session.query("rollback", []), { message: "store unavailable" });
        session.release();
        await proxy.become("none");
      }
      assert.deepEqual((await pool.query<{ one: number }>("select 1 as one", [])).rows, [{ one: 1 }]);
    } finally {
      await pool.close();
      await proxy.stop();
    }
  });

  test("an error of the server keeps its connection, and counts above 2^53 stay exact", async () => {
    const pool = new PostgresPool(direct, { poolSize: 1, connectTimeout });
    try {
      const backend = async () =>
        (await pool.query<{ pid: number }>("select pg_backend_pid() as pid", [])).rows[0]?.pid;
      const before = await backend();
      await assert.rejects(pool.query("select 1 / 0", []), { message: "store failure" });
      assert.equal(await backend(), before, "the connection was reused");
      const { rows } = await pool.query<{ large: unknown; small: unknown }>(
        "select 9007199254740993::bigint as large, 7::bigint as small",
        [],
      );
      assert.deepEqual({ ...rows[0] }, { large: "9007199254740993", small: 7 });
    } finally {
      await pool.close();
    }
  });

  const isRefusal = { code: "UNAVAILABLE", status: 503, headers: { "retry-after": "1" }, cause: /^too many callers/ };

  test("a full queue refuses new callers at once, and those who wait are served", async () => {
    const pool = new PostgresPool(direct, { poolSize: 1, connectTimeout });
    try {
      const session = await pool.acquire();
      const waiting = Array.from({ length: 100 }, () => pool.query("select 1", []));
      assert.equal(pool.use.waiting, 100);
      await assert.rejects(pool.query("select 1", []), isRefusal);
      assert.throws(() => pool.refuseIfBusy(), isRefusal);
      await pool.ping(); // on a connection of its own
      assert.equal(pool.use.waiting, 100);
      session.release();
      assert.equal((await Promise.all(waiting)).length, 100);
      pool.refuseIfBusy();
    } finally {
      await pool.close();
    }
  });

  test("a caller that could not be served in time, by the latest waits, is refused at once", async () => {
    const pool = new PostgresPool(direct, { poolSize: 1, connectTimeout: 200 });
    const session = await recovered(() => pool.acquire());
    try {
      await assert.rejects(pool.acquire(), isRefusal); // after 200 ms
      const first = settle(pool.acquire());
      await assert.rejects(pool.acquire(), isRefusal);
      assert.equal(pool.use.waiting, 1, "the first one still waits");
      session.release();
      (await first).value?.release();
    } finally {
      session.release();
      await pool.close();
    }
  });

  test("in a lasting overload a queue that gets short for a moment is not a new burst", async (t) => {
    const real = performance.now.bind(performance);
    let passed = 0;
    t.mock.method(performance, "now", () => real() + passed);
    const pool = new PostgresPool(direct, { poolSize: 2, connectTimeout: 60_000 });
    try {
      const [first, second] = [await pool.acquire(), await pool.acquire()];
      passed = 61_000;
      const waiting = [pool.acquire(), pool.acquire()];
      passed += 6000;
      first.release();
      const third = await (waiting[0] as Promise<typeof first>); // it has waited for a tenth of the timeout
      waiting.push(pool.acquire());
      const { waiting: queued } = pool.use;
      const isRefused = await (async () => pool.refuseIfBusy())().then(
        () => false,
        () => true,
      );
      for (const session of [second, third]) session.release();
      for (const one of waiting.slice(1)) (await one).release();
      const next = [await pool.acquire(), await pool.acquire()];
      const burst = [pool.acquire(), pool.acquire(), pool.acquire()];
      for (const session of next) session.release();
      for (const one of burst) (await one).release();
      assert.deepEqual([queued, isRefused], [2, true]);
    } finally {
      await pool.close();
    }
  });

  test("the checks of readiness take turns on their connection", () =>
    withPostgres(async (url) => {
      const pool = new PostgresPool(url, { poolSize: 1, connectTimeout });
      const warnings: Error[] = [];
      const onWarning = (warning: Error) => void warnings.push(warning);
      process.on("warning", onWarning); // the driver warns of a statement that begins during another
      try {
        await Promise.all([pool.ping(), pool.ping("select 2")]);
        await assert.rejects(pool.ping("select nothing"), { code: "42703" });
        await pool.ping();
        assert.deepEqual(warnings, []);
      } finally {
        process.off("warning", onWarning);
        await pool.close();
      }
    }));

  test("a connection for readiness that was lost is replaced", () =>
    withPostgres(async (url) => {
      const pool = new PostgresPool(url, { poolSize: 1, connectTimeout });
      try {
        await pool.ping();
        const ended = await pool.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and query = 'select 1'`,
          [],
        );
        assert.equal(ended.rows.length, 1);
        await pool.ping();
      } finally {
        await pool.close();
      }
      await assert.rejects(new PostgresPool("postgres://x@127.0.0.1:1/x").ping(), { code: "UNAVAILABLE" });
    }));

  /** A table with two rows, and the URL of a role with this connection limit; both are dropped afterwards. */
  async function withLimitedRole(limit: number, body: (url: string, admin: pg.Client) => Promise<void>): Promise<void> {
    await withPostgres(async (url) => {
      const role = `tenon_${randomUUID().replaceAll("-", "")}`;
      const admin = new pg.Client({ connectionString: url });
      await admin.connect();
      try {
        await admin.query(`create role ${role} login connection limit ${limit}`);
        await admin.query("create table notes (id integer primary key, title text)");
        await admin.query("insert into notes values (1, 'a'), (2, 'b')");
        await admin.query(`grant all on notes to ${role}`);
        const limited = new URL(url);
        limited.username = role;
        await body(limited.href, admin);
      } finally {
        await admin.query(`drop owned by ${role}`);
        await admin.query(`drop role ${role}`);
        await admin.end();
      }
    });
  }

  test("a server without a free connection for the probe counts as alive: statements wait for their lock and succeed", () =>
    withLimitedRole(3, async (url, admin) => {
      const unknown: string[] = [];
      const options = { poolSize: 3, connectTimeout: 20_000 };
      const pool = new PostgresPool(url, options, (statement) => unknown.push(statement));
      try {
        await admin.query("begin");
        await admin.query("select * from notes where id = 1 for update");
        const updates = [1, 2, 3].map((n) => pool.query("update notes set title = $1 where id = 1", [`title ${n}`]));
        const reads = [1, 2, 3, 4, 5].map(() => pool.query("select * from notes where id = 2", []));
        await sleep(2000); // the probe comes after 0.8 s
        const backends = async () =>
          (
            await admin.query("select pid from pg_stat_activity where usename = $1 order by pid", [
              new URL(url).username,
            ])
          ).rows;
        const before = await backends();
        assert.equal(before.length, 3);
        await admin.query("commit");
        assert.deepEqual(
          (await Promise.all(updates)).map(({ rowCount }) => rowCount),
          [1, 1, 1],
        );
        assert.deepEqual(
          (await Promise.all(reads)).map(({ rows }) => rows.length),
          [1, 1, 1, 1, 1],
        );
        assert.deepEqual(unknown, []);
        assert.deepEqual(await backends(), before, "no connection was abandoned");
      } finally {
        await pool.close();
      }
    }));

  test("a statement that a network has lost for a moment is abandoned, and a slow one is not", () =>
    withPostgres(async (direct) => {
      const { proxy, url } = await startProxy(direct, 5432);
      const pool = new PostgresPool(url, { poolSize: 2, connectTimeout, statementTimeout: 300_000 });
      try {
        await pool.query("select 1", []);
        await proxy.become("silent");
        const lost = assert.rejects(pool.query("select 2", []), { code: "UNAVAILABLE" });
        await sleep(100);
        await proxy.become("none"); // before the probe, which finds the server alive
        const slow = pool.query("select pg_sleep(3)", []);
        await lost;
        assert.equal((await slow).rows.length, 1);
        assert.equal((await pool.query("select 3", [])).rows.length, 1);
      } finally {
        await pool.close();
        await proxy.stop();
      }
    }));

  test("a statement is not abandoned because the one before it was slow", async (t) => {
    const target = new URL(direct);
    const { hostname, port } = target;
    const events = new EventEmitter();
    const isAsked = once(events, "asked");
    const isReplied = once(events, "replied");
    const isAskedAgain = once(events, "asked again");
    const replies: Buffer[] = [];
    let probes = 0;
    const proxy = createServer((client) => {
      const server = connect(Number(port || 5432), hostname);
      let isHeld = false;
      server.on("data", (chunk: Buffer) => {
        if (!isHeld) client.write(chunk);
        else events.emit("replied", replies.push(chunk));
      });
      client.on("data", (chunk) => {
        const isProbe = chunk.includes("pg_stat_activity");
        if (!isProbe || ++probes > 1) {
          server.write(chunk);
          if (isProbe) events.emit("asked again");
          return;
        }
        isHeld = true;
        events.once("ask", () => server.write(chunk));
        events.once("reply", () => {
          isHeld = false;
          client.write(Buffer.concat(replies));
        });
        events.emit("asked");
      });
      client.on("close", () => server.destroy()); // an open socket would keep the process from its end
      server.on("error", () => client.destroy()); // written to after its end, like any proxy's
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    target.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`; // a TCP server's address
    const pool = new PostgresPool(target.href, { poolSize: 1, connectTimeout });
    const other = new pg.Client({ connectionString: direct });
    const locks = [randomInt(2 ** 31), randomInt(2 ** 31)];
    try {
      await other.connect();
      for (const lock of locks) await other.query("select pg_advisory_lock($1)", [lock]);
      const session = await pool.acquire();
      await session.query("begin", []);
      t.mock.timers.enable({ apis: ["setTimeout"] });
      const waitForLock = (index: number) => session.query("select pg_advisory_xact_lock($1)", [locks[index]]);
      const unlock = (index: number) => other.query("select pg_advisory_unlock($1)", [locks[index]]);

      const slow = waitForLock(0);
      t.mock.timers.tick(500);
      await isAsked;
      await unlock(0);
      await slow;
      const findIdle = `select from pg_stat_activity where pid = $1 and state like 'idle%'
        and state_change < clock_timestamp() - interval '500 ms'`;
      const isIdle = async () => (await other.query(findIdle, [session.pid])).rowCount === 1;
      await until(isIdle, "connection that has had nothing to do for a while", turn);
      events.emit("ask");
      await isReplied;
      const next = settle(waitForLock(1));
      const findLocked = "select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'";
      const isLocked = async () => (await other.query(findLocked, [session.pid])).rowCount === 1;
      await until(isLocked, "connection that waits for a lock", turn);
      t.mock.timers.tick(500); // until it is slow too
      events.emit("reply");
      await isAskedAgain; // the first probe has decided
      await unlock(1);
      const { error } = await next;
      session.release();
      assert.equal(error, undefined);
    } finally {
      t.mock.timers.reset();
      await other.end();
      await pool.close();
      proxy.close();
    }
  });

  test("slow statements are probed ever more rarely, by one connection at a time in all pools", async () => {
    const { proxy, url } = await startProxy(direct, 5432);
    const pools = [1, 2].map(() => new PostgresPool(url, { poolSize: 1, connectTimeout }));
    try {
      const slow = await Promise.all(pools.map((pool) => pool.query("select pg_sleep(12)", []))); // probed at 0.5 s and 5.5 s
      assert.equal(slow.length, pools.length);
      assert.equal(proxy.connections.accepted, pools.length + 4);
      assert.equal(proxy.connections.most, pools.length + 1);
    } finally {
      for (const pool of pools) await pool.close();
      await proxy.stop();
    }
  });

  test("a statement that the server does not end in time is canceled, and its server process ends", () =>
    withPostgres(async (url) => {
      const pool = new PostgresPool(`${url}&statement_timeout=2000`);
      const other = new PostgresPool(url);
      try {
        const session = await pool.acquire();
        assert.deepEqual((await session.query("show statement_timeout", [])).rows, [{ statement_timeout: "2s" }]);
        await session.query("set statement_timeout = 0", []); // as PostgreSQL does while a commit waits for its standby
        const { rows } = await session.query<{ pid: number }>("select pg_backend_pid() as pid", []);
        await assert.rejects(session.query("select pg_sleep(600)", []), { code: "UNAVAILABLE" });
        session.release();
        await recovered(async () => {
          const left = await other.query("select from pg_stat_activity where pid = $1", [rows[0]?.pid]);
          assert.equal(left.rowCount, 0, "the server process runs on");
        });
        assert.equal((await pool.query("select 1", [])).rows.length, 1);
      } finally {
        await pool.close();
        await other.close();
      }
    }));

  test("statements wait for a free connection when the role has fewer than the pool", () =>
    withLimitedRole(2, async (url) => {
      const pool = new PostgresPool(url, { poolSize: 6, connectTimeout: 20_000 });
      try {
        const reads = Array.from({ length: 12 }, () => pool.query("select pg_sleep(0.02)", []));
        assert.equal((await Promise.all(reads)).length, 12);
      } finally {
        await pool.close();
      }
    }));

  test("only a statement with an unknown outcome is reported, by its first word", async () => {
    const { proxy, url } = await startProxy(direct, 5432);
    const unknown: string[] = [];
    // a silent server is noticed after four seconds, and one that a busy machine delays is not
    const options = { poolSize: 1, connectTimeout: 5000 };
    const pool = new PostgresPool(url, options, (statement) => unknown.push(statement));
    try {
      for (const fault of ["silent", "refused"] as const) {
        const session = await recovered(() => pool.acquire());
        await session.query("create temporary table notes (title text)", []);
        await assert.rejects(session.query("insert into nowhere values (1)", []), { message: "store failure" });
        const sent = settle(session.query("\n INSERT into notes select 'secret' from pg_sleep(5)", []));
        await proxy.become(fault);
        assert.ok((await sent).error instanceof StoreError);
        assert.ok((await settle(session.query("delete from notes", []))).error instanceof StoreError, "never sent");
        session.release();
        await proxy.become("none");

        const read = settle(recovered(() => pool.query("select pg_sleep(0.3)", [])));
        await proxy.become(fault);
        await proxy.become("none");
        await read;
      }
      assert.deepEqual(unknown, ["insert", "insert"]);
    } finally {
      await pool.close();
      await proxy.stop();
    }
  });

  test("a statement with an unknown outcome is logged as a warning, without its text", async () => {
    const lines: string[] = [];
    const log = { level: "warn", destination: { write: (line: string) => lines.push(line) } } as const;
    await withPostgres(async (server) => {
      const { proxy, url } = await startProxy(server, 5432);
      const watcher = new PostgresPool(server);
      const body = async (app: TestHttpApp) => {
        const db = app.get(Database);
        await assert.rejects(sql`update nowhere set title = ${"secret"}`.execute(db));
        const sent = settle(sql`do $$ begin perform pg_sleep(600), 'secret'; end $$`.execute(db));
        const findRunning = "select from pg_stat_activity where datname = current_database() and query like 'do %'";
        await until(async () => (await watcher.query(findRunning, [])).rowCount === 1, "running statement");
        await proxy.become("refused");
        await sent;
      };
      try {
        await withStores({ database: url }, body, log);
      } finally {
        await watcher.close();
        await proxy.stop();
      }
    });
    assert.equal(lines.length, 1, lines.join(""));
    assert.deepEqual(
      { ...JSON.parse(lines[0] ?? "{}"), time: 0, err: 0 },
      {
        level: "warn",
        time: 0,
        name: "Database",
        err: 0,
        statement: "do",
        msg: "the outcome of a statement is unknown: it may have been applied",
      },
    );
    assert.doesNotMatch(lines[0] ?? "", /secret/);
  });
}
