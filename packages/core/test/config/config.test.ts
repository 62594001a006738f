import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import {
  api,
  array,
  boolean,
  createApp,
  date,
  defineConfig,
  defineModule,
  dto,
  type Field,
  inject,
  integer,
  json,
  literal,
  number,
  provide,
  StartError,
  string,
  timestamp,
} from "@tenon/core";
import { LogLines } from "../support/log-lines.ts";

const password = "correct-horse-battery";

class Config extends defineConfig({
  PORT: integer("default=8080", "min=0", "max=65535"),
  DATABASE_URL: string("default=sqlite:data/app.db"),
  REDIS_URL: string(),
  JWT_SECRET: string("required", "min=16"),
  MAIL_KEY: string().secret(),
  LOGIN_LIMIT: boolean("default=true"),
  PROXIES: array(string()),
}) {}

const env = { JWT_SECRET: password };

function problemsOf(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof StartError);
    assert.ok(error.problems.every(({ code }) => code === "BAD_ENVIRONMENT"));
    return error.problems.map(({ message }) => message);
  }
  return [];
}

test("variables become typed properties in camel case, and an empty one counts as not set", () => {
  const config = Config.read({ env: { ...env, PORT: "20080", DATABASE_URL: "", PROXIES: "::1, 10.0.0.1,," } });
  const port: number = config.port;
  const redisUrl: string | undefined = config.redisUrl;
  const proxies: readonly string[] = config.proxies;
  assert.deepEqual([port, redisUrl, proxies], [20_080, undefined, ["::1", "10.0.0.1"]]);
  assert.deepEqual(
    { ...config },
    {
      port: 20_080,
      databaseUrl: "sqlite:data/app.db",
      redisUrl: undefined,
      jwtSecret: password,
      mailKey: undefined,
      loginLimit: true,
      proxies: ["::1", "10.0.0.1"],
    },
  );
  assert.ok(config instanceof Config);
  assert.throws(() => Object.assign(config, { port: 1 }), TypeError);
  // @ts-expect-error: there is no such variable
  assert.equal(config.hots, undefined);
});

test("every kind of field is read from text", () => {
  const kinds: readonly [field: Field, text: string, value: unknown][] = [
    [string("trim"), " photos ", "photos"],
    [number(), "0.5", 0.5],
    [string("oneof=low high"), "high", "high"],
    [literal([1, 2]), "2", 2],
    [date(), "2026-11-17", "2026-11-17"],
    [timestamp(), "2026-11-17T09:30:00Z", new Date("2026-11-17T09:30:00Z")],
    [array(integer(), "max=2"), "80,443", [80, 443]],
    [boolean(), "off", false],
    [json(), '{"a":1}', { a: 1 }],
  ];
  for (const [field, text, value] of kinds) {
    const config = defineConfig(dto({ A_1_B: field })).read({ env: { A_1_B: text } });
    assert.deepEqual({ ...config }, { a1B: value });
  }
  const level: "low" | "high" | undefined = defineConfig({ LEVEL: string("oneof=low high") }).read({ env: {} }).level;
  assert.equal(level, undefined);
});

test("booleans are on, true and 1, or off, false and 0", () => {
  const Switch = defineConfig({ DEBUG: boolean() });
  for (const text of ["on", "true", "1"]) assert.equal(Switch.read({ env: { DEBUG: text } }).debug, true, text);
  for (const text of ["off", "false", "0"]) assert.equal(Switch.read({ env: { DEBUG: text } }).debug, false, text);
  assert.deepEqual(
    problemsOf(() => Switch.read({ env: { DEBUG: "yes" } })),
    ['DEBUG is "yes". It must be true or false.'],
  );
});

const wrong: readonly [field: Field, text: string | undefined, problem: string][] = [
  [integer("default=8080", "min=0", "max=65535"), "65536", 'is "65536". It must be at most 65535.'],
  [integer("min=10"), "0x0e", 'is "0x0e". It must be a whole number.'],
  [number("max=1"), "2", 'is "2". It must be at most 1.'],
  [number(), "much", 'is "much". It must be a number.'],
  [string("oneof=low mid high"), "loud", 'is "loud". It must be one of low, mid, high.'],
  [literal(["only"]), "other", 'is "other". It must be one of only.'],
  [literal([1, "big"]), "3", 'is "3". It must be one of 1, big.'],
  [string("min=3", "max=5"), "no", 'is "no". It must have at least 3 characters.'],
  [string("required"), undefined, "is not set."],
  [string("required", "url"), undefined, "is not set. It must be an http or https URL."],
  [string("pattern=^(disk|s3):").example("disk:folder"), "tape", 'is "tape". It takes for example disk:folder.'],
  [array(integer("max=9")), "1,x,12", 'is "1,x,12". It must be a whole number and must be at most 9.'],
  [array(string("pattern=^[0-9.]+$")).example(["1.2", "3"]), "1.2,x", 'is "1.2,x". It takes for example 1.2,3.'],
  [array(string(), "max=1"), "a,b", 'is "a,b". It must have at most 1 item.'],
];

test("all bad values are reported at once, with their variables and what they take", () => {
  const named = wrong.map(([field, text, problem], index) => ({
    name: String.fromCharCode(65 + index).repeat(4),
    field,
    text,
    problem,
  }));
  const Service = defineConfig(dto(Object.fromEntries(named.map(({ name, field }) => [name, field]))));
  const env = Object.fromEntries(named.map(({ name, text }) => [name, text]));
  assert.deepEqual(
    problemsOf(() => Service.read({ env })),
    named.map(({ name, problem }) => `${name} ${problem}`),
  );
});

test("no message shows a secret or a URL, which may hold a password", () => {
  class Secrets extends defineConfig({
    JWT_SECRET: string("required", "min=99"),
    API_KEYS: array(string("len=3")),
    PIN: integer().secret(),
    DATABASE_URL: string("pattern=^postgres:").example("postgres://user@host/name"),
    SENDER: string("max=9"),
  }) {}
  const problems = problemsOf(() =>
    Secrets.read({
      env: {
        JWT_SECRET: "hunter2",
        API_KEYS: "hunter2,abc",
        PIN: "hunter2",
        DATABASE_URL: "mysql://root:hunter2@host",
        SENDER: "smtp:hunter2@host",
      },
    }),
  );
  assert.deepEqual(problems, [
    "JWT_SECRET must have at least 99 characters.",
    "API_KEYS must have exactly 3 characters.",
    "PIN must be a whole number.",
    "DATABASE_URL takes for example postgres://user@host/name.",
    "SENDER must have at most 9 characters.",
  ]);
});

test("secrets and passwords in URLs are redacted when a configuration is logged, inspected or written as JSON", async () => {
  class WithOwn extends Config {
    readonly derivedToken = password;
    readonly label = "x";
  }
  const config = WithOwn.read({
    env: {
      ...env,
      MAIL_KEY: password,
      DATABASE_URL: `postgres://user:${password}@host/name?sslpassword=${password}&a=b`,
      PROXIES: `http://a:${password}@host,::1`,
    },
  });
  const shown = {
    port: 8080,
    databaseUrl: "postgres://user:[redacted]@host/name?sslpassword=[redacted]&a=b",
    jwtSecret: "[redacted]",
    mailKey: "[redacted]",
    loginLimit: true,
    proxies: ["http://a:[redacted]@host", "::1"],
    derivedToken: "[redacted]",
    label: "x",
  };
  assert.deepEqual(JSON.parse(JSON.stringify(config)), shown);
  assert.match(inspect(config), /^WithOwn \{\n {2}port: 8080,/);
  const lines = new LogLines();
  const app = await createApp(defineModule({ name: "app" }), api(), { log: lines.options });
  app.log.info({ config }, "started");
  for (const text of [inspect(config), inspect({ config }, { depth: 0 }), JSON.stringify(lines.all)]) {
    assert.doesNotMatch(text, new RegExp(password));
  }
  assert.match(JSON.stringify(lines.all), /"jwtSecret":"\[redacted\]"/);
  await app.stop();
});

test("flags take precedence over the environment, and the environment over defaults", () => {
  const defaults = { PORT: "1" };
  assert.equal(Config.read({ env, defaults }).port, 1);
  assert.equal(Config.read({ env: { ...env, PORT: "2" }, defaults }).port, 2);
  assert.equal(Config.read({ env: { ...env, PORT: "2" }, defaults, flags: { PORT: "3" } }).port, 3);
  // @ts-expect-error: there is no such variable
  assert.equal(Config.read({ env, flags: { PROT: "3" } }).port, 8080);
});

function withArguments<T>(args: readonly string[], read: () => T): T {
  const before = process.argv;
  process.argv = [...before.slice(0, 2), ...args];
  try {
    return read();
  } finally {
    process.argv = before;
  }
}

test("a list of variables reads the flags of the process", () => {
  const read = () => Config.read({ env: { ...env, PORT: "2" }, flags: ["PORT", "DATABASE_URL"] });
  for (const args of [
    ["--port=3", "--database-url=sqlite::memory:"],
    ["--port", "3", "--database-url", "sqlite::memory:", "--"],
  ]) {
    const { port, databaseUrl } = withArguments(args, read);
    assert.deepEqual([port, databaseUrl], [3, "sqlite::memory:"]);
  }
  assert.equal(withArguments([], read).port, 2);
});

test("other arguments are reported together with bad values", () => {
  const problems = withArguments(["--prot=3", "start", "-p", "--port=", "--database-url"], () =>
    problemsOf(() => Config.read({ env: {}, flags: ["PORT", "DATABASE_URL"] })),
  );
  const known = "It has --port, --database-url.";
  assert.deepEqual(problems, [
    `--prot is not a flag of this application. ${known}`,
    `start is not a flag of this application. ${known}`,
    `-p is not a flag of this application. ${known}`,
    "--port needs a value.",
    "--database-url needs a value.",
    "JWT_SECRET is not set. It must have at least 16 characters.",
  ]);
});

test("a check reports what fields cannot express, together with everything else", () => {
  const ranges = /^[0-9.]+$/;
  class Checked extends defineConfig(
    { PORT: integer("required"), PROXIES: array(string()), TLS: boolean("default=false") },
    {
      check({ port, proxies = [], tls }, report) {
        for (const proxy of proxies)
          if (!ranges.test(proxy)) report("PROXIES", `has "${proxy}", which is not an address.`);
        if (tls && port === 80) report("TLS", "is on, but PORT is 80.");
        // @ts-expect-error: there is no such variable
        if (port === 81) report("PROT", "");
      },
    },
  ) {
    get isOpen(): boolean {
      return this.proxies.length === 0;
    }
  }
  const problems = (values: Record<string, string>) => problemsOf(() => Checked.read({ env: values }));
  assert.deepEqual(problems({ PORT: "x", PROXIES: "1.2.3.4,proxy", TLS: "on" }), [
    'PORT is "x". It must be a whole number.',
    'PROXIES has "proxy", which is not an address.',
  ]);
  assert.deepEqual(problems({ PORT: "80", TLS: "on" }), ["TLS is on, but PORT is 80."]);
  assert.equal(Checked.read({ env: { PORT: "80" } }).isOpen, true);
});

test("a configuration is declared like any class, injected, and replaced in tests", async () => {
  class Injected extends defineConfig({ TENON_TEST_SECRET: string("required", "min=16") }) {}
  class Signer {
    readonly secret = inject(Injected).tenonTestSecret;
  }
  const module = defineModule({ name: "app", declarations: [Injected, Signer] });
  const override = [provide(Injected, () => Injected.read({ env: { TENON_TEST_SECRET: password } }))];
  const app = await createApp(module, api(), { override, onStartError: "throw" });
  assert.equal(app.get(Signer).secret, password);
  await app.stop();
  await assert.rejects(createApp(module, api(), { onStartError: "throw" }), {
    name: "StartError",
    message:
      /^TENON_TEST_SECRET is not set\. It must have at least 16 characters\. Set it in (?:\.env or in )?the environment\.$/,
  });
});
