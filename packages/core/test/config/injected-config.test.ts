import assert from "node:assert/strict";
import { test } from "node:test";
import {
  api,
  array,
  boolean,
  createApp,
  defineConfig,
  defineModule,
  inject,
  integer,
  provide,
  route,
  string,
} from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { rejection } from "../support/start-error.ts";
import { setVariables } from "../support/variables.ts";

class Config extends defineConfig({
  PORT: integer("default=8080", "min=0", "max=65535"),
  DATABASE_URL: string("default=sqlite:data/app.db", "pattern=^(sqlite:|postgres://).").example("sqlite:<file>"),
  REDIS_URL: string(),
  LOGIN_LIMIT: boolean("default=true"),
  PROXIES: array(string("pattern=^[0-9.:]+$")).example(["10.0.0.1"]),
}) {
  get isEmbedded() {
    return this.databaseUrl.startsWith("sqlite:");
  }
}

const ConfigModule = defineModule({ name: "config", declarations: [Config], exports: [Config] });

class Greeter {
  readonly config = inject(Config);
}
const GreeterModule = defineModule({ name: "greeter", imports: [ConfigModule], declarations: [Greeter] });
const AppModule = defineModule({ name: "app", imports: [GreeterModule, ConfigModule] });
const quiet = { onStartError: "throw", log: { level: "silent" } } as const;

async function messagesOf(starting: Promise<unknown>): Promise<string[]> {
  return (await rejection(starting)).problems.map(({ message }) => message);
}

test("config gives values to the config class, and they take precedence over the environment", async (t) => {
  setVariables(t, { PORT: "20001", DATABASE_URL: "postgres://127.0.0.1/none", REDIS_URL: "redis://x", PROXIES: "::1" });
  const given = { databaseUrl: "sqlite::memory:", redisUrl: undefined, proxies: ["10.0.0.1"], loginLimit: false };
  const app = await createTestApp(AppModule, api(), { config: given });
  const { port, databaseUrl, redisUrl, proxies, loginLimit, isEmbedded } = app.get(Config);
  assert.deepEqual(
    { port, databaseUrl, redisUrl, proxies, loginLimit, isEmbedded },
    { ...given, port: 20_001, isEmbedded: true },
  );
  await app.stop();
});

test("an instance of the config class is used as it is, with its flags", async () => {
  const config = Config.read({ env: {}, flags: { PORT: "20002" } });
  const app = await createApp(AppModule, api(), { ...quiet, config });
  assert.equal(app.get(Config), config);
  await app.stop();
});

test("a value that is invalid is the same start error as the text of its variable", async (t) => {
  const given = await messagesOf(createTestApp(AppModule, api(), { config: { port: 70_000, proxies: ["x"] } }));
  setVariables(t, { PORT: "70000", PROXIES: "x" });
  assert.deepEqual(await messagesOf(createTestApp(AppModule, api())), given);
  assert.deepEqual(given, [
    'PORT is "70000". It must be at most 65535.',
    'PROXIES is "x". It takes for example 10.0.0.1.',
  ]);
});

test("a name that no config class has is a start error, and does not compile", async () => {
  // @ts-expect-error: a misspelt name
  const misspelt = createTestApp(AppModule, api(), { config: { databseUrl: "sqlite::memory:" } });
  assert.deepEqual(await messagesOf(misspelt), [
    "config of createApp() has no option databseUrl (did you mean databaseUrl?). It takes port, databaseUrl, redisUrl, loginLimit, proxies.",
  ]);
  // @ts-expect-error: a wrong type
  assert.equal((await messagesOf(createTestApp(AppModule, api(), { config: { port: "x" } }))).length, 1);
  // @ts-expect-error: the same for createApp()
  assert.equal((await messagesOf(createApp(AppModule, api(), { ...quiet, config: { port: true } }))).length, 1);
});

test("values and instances that no module takes are start errors", async () => {
  const bare = defineModule({ name: "bare" });
  assert.deepEqual(await messagesOf(createTestApp(bare, api(), { config: { port: 1 } })), [
    "config of createApp() has values, and no module declares a class made with defineConfig().",
  ]);
  class Other extends defineConfig({ PORT: integer("required") }) {}
  assert.deepEqual(await messagesOf(createTestApp(AppModule, api(), { config: Other.read({ env: { PORT: "1" } }) })), [
    "config of createApp() is an object (Other), whose class no module declares. Declare it in one.",
  ]);
});

test("with two config classes, a value is for each that has its variable", async () => {
  class MailConfig extends defineConfig({ MAIL_URL: string("required"), PORT: integer("default=25") }) {}
  const MailModule = defineModule({ name: "mail", declarations: [MailConfig], exports: [MailConfig] });
  const both = defineModule({ name: "both", imports: [AppModule, ConfigModule, MailModule] });
  const app = await createTestApp(both, api(), { config: { mailUrl: "smtp://x", port: 1, loginLimit: false } });
  assert.deepEqual([app.get(MailConfig).mailUrl, app.get(MailConfig).port, app.get(Config).port], ["smtp://x", 1, 1]);
  await app.stop();
  // @ts-expect-error: a name that neither has
  await rejection(createTestApp(both, api(), { config: { mail: "smtp://x" } }));
});

test("an override takes precedence over config", async () => {
  const own = Config.read({ env: { PORT: "1" } });
  const override = [provide(Config, () => own)];
  const app = await createTestApp(AppModule, api(), { config: { port: 2 }, override });
  assert.equal(app.get(Config), own);
  await app.stop();
});

test("bad variables are listed once with the wiring mistakes, in the words of read(), and their users add nothing", async (t) => {
  const env = { PORT: "abc", DATABASE_URL: "nonsense" };
  setVariables(t, { ...env, LOG_LEVEL: "loud" });
  const read = await messagesOf(Promise.try(() => Config.read()));
  class Missing {}
  class Broken {
    readonly missing = inject(Missing);
  }
  class Users {
    readonly config = inject(Config);
    readonly port = this.config.port + 1;
    readonly greeter = inject(Greeter);
  }
  const module = defineModule({
    name: "app",
    imports: [ConfigModule],
    declarations: [Greeter, Users, Broken],
  });
  const messages = await messagesOf(createApp(module, api({ trustedProxies: () => inject(Config).proxies }), quiet));
  assert.equal(read.length, 3);
  assert.deepEqual(
    messages.filter((message) => read.includes(message)),
    read,
  );
  assert.match(messages.filter((message) => !read.includes(message)).join("\n"), /^Broken.*$/);
});

test("options of a platform may inject what the root module sees", async () => {
  class Where {
    readonly index = route.get("/", (ctx) => ({ ip: ctx.request().address() }));
    routes() {
      return [this.index];
    }
  }
  const module = defineModule({ name: "app", imports: [ConfigModule], declarations: [Where] });
  const platform = api({ trustedProxies: () => inject(Config).proxies, limits: () => undefined });
  const app = await createTestApp(module, platform, { config: { proxies: ["127.0.0.1"] } });
  const { url } = await app.listen({ port: 0, signals: false });
  const headers = { "x-forwarded-for": "192.0.2.1" };
  assert.deepEqual(await (await fetch(url, { headers })).json(), { ip: "192.0.2.1" });
  await app.stop();
  const again = await createTestApp(module, platform);
  const other = await again.listen({ port: 0, signals: false });
  assert.deepEqual(await (await fetch(other.url, { headers })).json(), { ip: "127.0.0.1" });
  await again.stop();
});

test("an option of a platform that injects what the root does not see, or throws, says so", async () => {
  const blind = defineModule({ name: "blind", imports: [GreeterModule] });
  assert.deepEqual(await messagesOf(createApp(blind, api({ trustedProxies: () => inject(Config).proxies }), quiet)), [
    'api() (module "blind") needs Config, which module "config" declares (api() → Config). Add "config" to the imports of "blind".',
  ]);
  const failing = api({
    docs() {
      throw new Error("no such file");
    },
  });
  assert.deepEqual(await messagesOf(createApp(AppModule, failing, quiet)), [
    "api() could not be constructed: no such file. LOG_LEVEL=debug shows where it was thrown.",
  ]);
});
