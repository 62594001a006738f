import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { afterCommit, Database, StoreError, sql } from "@tenon/data";
import { until } from "../../../core/test/support/until.ts";
import { PostgresPool } from "../../src/database/postgres-pool.ts";
import { hasPgBouncer, withPgBouncer } from "../support/own-pgbouncer.ts";
import { OwnPostgres, postgresBinary } from "../support/own-postgres.ts";
import { recovered, settle } from "../support/settle.ts";
import { withStores } from "../support/stores.ts";

if (postgresBinary("postgres") === undefined) {
  if (process.env.REQUIRE_SERVICES === "1") throw new Error("REQUIRE_SERVICES is set and postgres is not installed");
  process.stdout.write("left out: the tests that start a PostgreSQL (not installed on this machine)\n");
} else {
  let primary: OwnPostgres;
  /** A pool of the test: statements through it are not what is tested. */
  let admin: PostgresPool;

  before(async () => {
    primary = await OwnPostgres.make();
    admin = new PostgresPool(primary.url, { connectTimeout: 60_000 });
    await admin.query("create table notes (title text)", []);
    await admin.query(
      `create function note(title text) returns void language sql as 'insert into notes values (title)'`,
      [],
    );
  });

  after(async () => {
    await admin.close();
    await primary.remove();
  });

  /** Makes commits wait for a standby of this name, and forever where there is none. Takes effect a moment later. */
  async function requireStandby(name: string): Promise<void> {
    await admin.query(`alter system set synchronous_standby_names = '${name}'`, []);
    await admin.query("select pg_reload_conf()", []);
    await recovered(async () => assert.equal(await waitsForStandby(), name !== ""));
  }

  async function waitsForStandby(): Promise<boolean> {
    let waits: boolean | undefined;
    const write = settle(admin.query("insert into notes values ('probe')", [])).then(() => {
      waits ??= false;
    });
    const isKnown = async () => {
      if (waits === undefined && (await endWaits("pg_cancel_backend")) > 0) waits = true;
      return waits !== undefined;
    };
    await until(isKnown, "write that has ended or waits for a standby");
    await write;
    return waits === true;
  }

  async function countWaiting(): Promise<number> {
    const { rows } = await admin.query("select from pg_stat_activity where wait_event = 'SyncRep'", []);
    return rows.length;
  }

  /** Returns how many processes of the server were waiting for a standby. */
  async function endWaits(how: "pg_cancel_backend" | "pg_terminate_backend"): Promise<number> {
    const { rows } = await admin.query(`select ${how}(pid) from pg_stat_activity where wait_event = 'SyncRep'`, []);
    return rows.length;
  }

  async function endWait(how: "pg_cancel_backend" | "pg_terminate_backend"): Promise<void> {
    await recovered(async () => assert.equal(await endWaits(how), 1));
  }

  async function countNotes(title: string): Promise<number> {
    const { rows } = await admin.query<{ count: number }>("select count(*) from notes where title = $1", [title]);
    return rows[0]?.count ?? 0;
  }

  test("a commit that no standby has confirmed is an error, and its hooks do not run", async () => {
    const lines: string[] = [];
    const log = { level: "warn", destination: { write: (line: string) => lines.push(line) } } as const;
    const postgres = { connectTimeout: 60_000, poolSize: 1 };
    await withStores(
      { database: primary.url, postgres },
      async (app) => {
        const db = app.get(Database);
        await requireStandby("nowhere");
        let ran = false;
        const commit = settle(
          db.transaction().execute(async (transaction) => {
            await sql`insert into notes values ('commit')`.execute(transaction);
            await afterCommit(transaction, () => {
              ran = true;
            });
          }),
        );
        await endWait("pg_cancel_backend");
        const { error } = await commit;
        assert.ok(error instanceof StoreError);
        assert.equal(error.code, "UNAVAILABLE");
        assert.equal(ran, false);
        assert.equal(await countNotes("commit"), 1, "this server has it; a standby would not");
        const { rows } = await sql`select 1`.execute(db);
        assert.equal(rows.length, 1, "the pool has a connection");
        await requireStandby("");
        await sql`insert into notes values ('confirmed')`.execute(db);
      },
      log,
    );
    assert.equal(lines.length, 1, lines.join(""));
    const { statement, err, msg } = JSON.parse(lines[0] ?? "{}");
    assert.equal(statement, "commit");
    assert.match(err.message, /^no standby has confirmed the commit: .*canceling wait for synchronous replication/);
    assert.equal(msg, "the outcome of a statement is unknown: it may have been applied");
  });

  test("a single statement that no standby has confirmed is an error, whatever its first word", async () => {
    const unknown: string[] = [];
    const pool = new PostgresPool(primary.url, { connectTimeout: 60_000 }, (statement) => unknown.push(statement));
    try {
      await pool.query("select 1", []);
      await requireStandby("nowhere");
      for (const how of ["pg_cancel_backend", "pg_terminate_backend"] as const) {
        for (const statement of ["insert into notes values ('single')", "select note('single')"]) {
          const write = settle(pool.query(statement, []));
          await endWait(how);
          const { error } = await write;
          assert.ok(error instanceof StoreError);
          assert.equal(error.code, "UNAVAILABLE");
        }
      }
      assert.equal(await countNotes("single"), 4);
      // the connection of the last one is lost, and with it the notice where it has not arrived yet
      assert.deepEqual(unknown.slice(0, 3), ["insert", "select", "insert"]);
    } finally {
      await requireStandby("");
      await pool.close();
    }
  });

  test("writes end at their timeout while there is no standby, and reads go on", () => checkTimeout(primary.url));

  if (hasPgBouncer) {
    test("writes through a pooler end at their timeout while there is no standby, and reads go on", () =>
      withPgBouncer({ server: primary.url }, (url) => checkTimeout(`${url}?pooler=transaction`)));
  }

  async function checkTimeout(url: string): Promise<void> {
    const unknown: string[] = [];
    const options = { connectTimeout: 60_000, statementTimeout: 2000 };
    const pool = new PostgresPool(url, options, (statement) => unknown.push(statement));
    try {
      await requireStandby("nowhere");
      const write = settle(pool.query("insert into notes values ('late')", []));
      await pool.query("select title from notes", []);
      const { error } = await write;
      assert.ok(error instanceof StoreError);
      assert.equal(error.code, "UNAVAILABLE");
      assert.deepEqual(unknown, ["insert"]);
      assert.equal(await countWaiting(), 0, "the server waits no longer either");
      await requireStandby("");
      await pool.query("insert into notes values ('in time')", []);
    } finally {
      await requireStandby("");
      await pool.close();
    }
  }

  test("a connection to a server that is read-only is closed, and reaches the primary after a failover", async () => {
    const standby = await primary.makeStandby();
    const pool = new PostgresPool(standby.url, { connectTimeout: 60_000, poolSize: 1 });
    try {
      const pid = async () => (await pool.query<{ pid: number }>("select pg_backend_pid() as pid", [])).rows[0]?.pid;
      const first = await pid();
      assert.equal(await pid(), first, "reads keep it");
      await assert.rejects(pool.query("insert into notes values ('read-only')", []), { code: "UNAVAILABLE" });
      assert.deepEqual({ ...pool.use, waiting: 0 }, { used: 0, idle: 0, waiting: 0, size: 1 });
      assert.notEqual(await pid(), first);
      await pool.query("select pg_promote()", []);
      await pool.query("insert into notes values ('promoted')", []);
    } finally {
      await pool.close();
      await standby.remove();
    }
  });
}
