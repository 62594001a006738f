import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { withPgBouncer } from "../../packages/data/test/support/own-pgbouncer.ts";
import { services } from "../../packages/data/test/support/services.ts";
import type { Part } from "../part.ts";
import { judgeTests } from "../support/test-files.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const all = ["packages/{data,jobs,live}/test/**/*.test.ts", "apps/reference/test/conformance/*.test.ts"];
const some = [
  "packages/data/test/database/{database,migrations,transaction-guard}.test.ts",
  "packages/data/test/key-value/key-value.test.ts",
  "packages/jobs/test/{jobs,job-store}.test.ts",
  "packages/live/test/channels/channels.test.ts",
  "apps/reference/test/conformance/{auth-endpoints,posts,refresh-tokens,sessions}.test.ts",
];
/** The test files that need the server itself, and why. */
const direct: Readonly<Record<string, string>> = {
  "packages/data/test/faults.test.ts": "a proxy with faults is between, and processes of the server are ended",
  "packages/data/test/database/postgres-pool.test.ts": "ids of the server's processes are compared",
  "packages/data/test/database/postgres-pooler.test.ts": "has its own pooler",
  "packages/data/test/database/postgres-replication.test.ts": "has its own server",
  "packages/data/test/shared/shared-store.test.ts": "a client of the test and one behind a proxy listen",
  "packages/live/test/channels/outages.test.ts": "a proxy with faults is between",
};

export const part: Part = {
  id: "PB1",
  title: "the tests of data, jobs, live and the reference service's API through PgBouncer in transaction mode",
  bar: "all pass",
  needs: ["postgres", "redis", "pgbouncer"],
  async run(options) {
    const files = globSync(options.short ? some : all, { cwd: root }).filter((file) => !(file in direct));
    const pooler = {
      server: services.postgres ?? "", // it is needed
      poolSize: 8, // fewer than the clients
      settings: ["max_client_conn = 1000", "server_idle_timeout = 2"], // connections to databases that no test uses end
    };
    return await withPgBouncer(pooler, async (url) => {
      const env = { TEST_POOLER_URL: url };
      const figures = await judgeTests(files, { ...options, short: true }, () => {}, "PostgreSQL", env);
      return figures
        .show("files", files.length)
        .atLeast("transactions of the pooler", await countTransactions(url), options.short ? 500 : 2000)
        .done();
    });
  },
};

/** Shows that the tests have used the pooler. */
async function countTransactions(url: string): Promise<number> {
  const console = new URL(url);
  console.pathname = "/pgbouncer";
  const client = new pg.Client(console.href);
  await client.connect();
  const { rows } = await client.query<{ total_xact_count: string }>("show stats");
  await client.end();
  return rows.reduce((sum, { total_xact_count }) => sum + Number(total_xact_count), 0);
}
