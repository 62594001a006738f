import assert from "node:assert/strict";
import { test } from "node:test";
import { authModule, Tokens } from "@tenon/auth";
import { api, createApp, defineConfig, defineModule, inject, integer, StartError, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { Database, dataModule, KeyValue } from "@tenon/data";
import { jobsModule, worker } from "@tenon/jobs";
import { liveModule } from "@tenon/live";
import { observeModule } from "@tenon/observe";
import { sessionsModule, WebSessions, web } from "@tenon/web";

class Config extends defineConfig({
  DATABASE_URL: string("required"),
  SECRET: string("required", "min=32"),
  JOBS: integer("required"),
  HEARTBEAT: integer("required"),
  METRICS_TOKEN: string(),
}) {}
const ConfigModule = defineModule({ name: "config", declarations: [Config], exports: [Config] });
const imports = [ConfigModule] as const;
const DataModule = dataModule({ imports, database: () => inject(Config).databaseUrl, keyValue: () => undefined });
const secret = () => inject(Config).secret;
const AppModule = defineModule({
  name: "app",
  imports: [
    DataModule,
    authModule(DataModule, { imports, secret, bcryptCost: () => undefined }),
    jobsModule(DataModule, { imports, concurrency: () => inject(Config).jobs }),
    liveModule(DataModule, { imports, heartbeat: () => inject(Config).heartbeat }),
    sessionsModule(DataModule, { imports, store: KeyValue, secret }),
    observeModule({
      imports,
      metrics() {
        const { metricsToken: token } = inject(Config);
        return token === undefined ? undefined : { token };
      },
    }),
  ],
});
const config = { databaseUrl: "sqlite::memory:", secret: "s".repeat(32), jobs: 3, heartbeat: 1000 };

async function messagesOf(starting: Promise<unknown>): Promise<string[]> {
  const error = await starting.then(
    () => assert.fail("it started"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof StartError, String(error));
  return error.problems.map(({ message }) => message);
}

test("every module injects its options, and an option that is undefined has its default", async () => {
  const app = await createTestApp(AppModule, api(), { config: { ...config, metricsToken: "m".repeat(16) } });
  assert.equal(app.get(Database).kind, "sqlite");
  const token = await app.get(Tokens).issue({ id: "1", email: "ada@example.com", role: "user" });
  assert.match(Buffer.from(token.split(".")[1] ?? "", "base64url").toString(), /"iss":"tenon"/);
  const scrape = (token: string) =>
    app.request("GET", "/metrics", { headers: { authorization: `Bearer ${token}` } }).then(({ status }) => status);
  assert.deepEqual([await scrape("m".repeat(16)), await scrape("wrong")], [200, 401]);
  await app.stop();
});

test("the checks of every module see the values, and their problems are listed together", async () => {
  const bad = { ...config, databaseUrl: "mysql://x", jobs: 0, heartbeat: -1, metricsToken: "short" };
  const messages = await messagesOf(createTestApp(AppModule, api({ trustedProxies: () => ["x"] }), { config: bad }));
  assert.deepEqual(
    messages.map((message) => message.split(". ")[0]),
    [
      "database is a URL of another kind",
      "concurrency of jobsModule() is 0",
      "heartbeat of liveModule() is -1",
      "metrics.token of observeModule() has 5 bytes",
      'trustedProxies of api() is ["x"]',
    ],
  );
});

test("bad variables are listed once: the modules that need them add nothing", async () => {
  const { secret: _, ...others } = config;
  const messages = await messagesOf(
    createTestApp(AppModule, api(), { config: { ...others, secret: "short", jobs: 1.5 } }),
  );
  assert.deepEqual(messages, ["SECRET must have at least 32 characters.", 'JOBS is "1.5". It must be a whole number.']);
});

test("a value of the wrong type and a name that no config class has do not compile", async () => {
  // @ts-expect-error: DATABASE_URL is a text
  await messagesOf(createTestApp(AppModule, api(), { config: { ...config, databaseUrl: 5 } }));
  // @ts-expect-error: the name is databaseUrl
  await messagesOf(createTestApp(AppModule, api(), { config: { ...config, database: "sqlite::memory:" } }));
  // @ts-expect-error: the type passes through the modules that import others
  await messagesOf(createTestApp(DataModule, api(), { config: { ...config, databaseUrl: 5 } }));
});

test("options of web() and worker() inject too", async () => {
  const platform = web({
    views: { has: () => true, render: () => "" },
    middlewares: [WebSessions],
    redirects: () => [inject(Config).databaseUrl],
  });
  const quiet = { onStartError: "throw", log: { level: "silent" }, config } as const;
  const seen = defineModule({ name: "seen", imports: [AppModule, ...AppModule.imports, ConfigModule] });
  assert.match(
    (await messagesOf(createApp(seen, platform, quiet))).join(),
    /redirects of web\(\) is \["sqlite::memory:"\]/,
  );
  const bad = { ...quiet, config: { ...config, heartbeat: 20_000 } };
  assert.match(
    (await messagesOf(createApp(seen, worker({ concurrency: () => inject(Config).heartbeat }), bad))).join(),
    /concurrency of worker\(\) is 20000/,
  );
});
