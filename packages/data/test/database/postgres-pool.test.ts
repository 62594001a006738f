import assert from "node:assert/strict";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresPool } from "../../src/database/postgres-pool.ts";
import { startProxy } from "../support/fault-proxy.ts";
import { services } from "../support/services.ts";
import { recovered, settle } from "../support/settle.ts";

test("a server that ends a connection in the breath in which it accepts it costs a statement, not the process", async () => {
  const length = (bytes: number) => String.fromCharCode(0, 0, 0, bytes);
  const reason = "SFATAL\0VFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0";
  const welcome = `R${length(8)}${length(0)}Z${length(5)}I`;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(`${welcome}E${length(reason.length + 4)}${reason}`, "latin1"));
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)); // a TCP server's address
  });
  const pool = new PostgresPool(`postgres://someone@127.0.0.1:${port}/x`, "the server", { poolSize: 1 });
  try {
    for (let round = 0; round < 3; round++) {
      await assert.rejects(pool.query("select 1", []), { message: "store unavailable" });
      assert.equal(pool.usage().idle, 0);
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
    const pool = new PostgresPool(url, "the proxy", { poolSize: 3 });
    try {
      for (const fault of ["refused", "silent", "refused"] as const) {
        await recovered(() => pool.query("select 1", []));
        const running = Array.from({ length: 6 }, () => settle(pool.query("select pg_sleep(0.1)", [])));
        await proxy.become(fault);
        await Promise.all(running);
        await proxy.become("none");
      }
      await recovered(() => pool.query("select 1", []));
      const results = await Promise.all(Array.from({ length: 12 }, () => pool.query("select 1 as one", [])));
      assert.ok(results.every(({ rows }) => rows.length === 1));
      const { total, idle, waiting } = pool.usage();
      assert.ok(total <= 3, `${total} connections in a pool of 3`);
      assert.equal(idle, total, "every connection is free again");
      assert.equal(waiting, 0);
    } finally {
      await pool.close();
      await proxy.stop();
    }
  });

  test("a connection that is reset under a transaction that waits for something else ends nothing but itself", async () => {
    const { proxy, url } = await startProxy(direct, 5432);
    const pool = new PostgresPool(url, "the proxy", { poolSize: 1 });
    const idle = 50; // milliseconds in which the driver tells of the reset, and then of the end
    try {
      for (const asksAgain of [true, false]) {
        const session = await pool.acquire();
        await session.query("begin", []);
        await proxy.become("reset");
        await assert.rejects(session.query("select 1", []), { message: "store unavailable" });
        await sleep(idle);
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
    const pool = new PostgresPool(direct, "the server", { poolSize: 1 });
    try {
      await assert.rejects(pool.query("select 1 / 0", []), { message: "store failure" });
      assert.equal(pool.usage().total, 1);
      const { rows } = await pool.query<{ large: unknown; small: unknown }>(
        "select 9007199254740993::bigint as large, 7::bigint as small",
        [],
      );
      assert.deepEqual({ ...rows[0] }, { large: "9007199254740993", small: 7 });
    } finally {
      await pool.close();
    }
  });
}
