import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { StartError } from "@tenon/core";
import { withFolder } from "../../../packages/data/test/support/services.ts";
import { Config } from "../src/config.ts";
import { runFile, withServer } from "./support/processes.ts";

const secret = "thirty-two bytes of random, or so";

/** What the configuration holds, and what it has made of it. */
function readConfig(env: NodeJS.Dict<string>, defaults = {}) {
  const config = Config.read({ env, defaults });
  return { ...config, signingSecret: config.signingSecret, warnings: config.warnings };
}

function problemsOf(env: Record<string, string>): string[] {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof StartError);
    assert.ok(error.problems.every(({ code }) => code === "BAD_ENVIRONMENT"));
    return error.problems.map(({ message }) => message);
  }
  return [];
}

test("the defaults are port 8080 on 127.0.0.1, an SQLite file in the app's own folder, and no Redis", () => {
  assert.deepEqual(readConfig({ JWT_SECRET: secret }), {
    port: 8080,
    host: "127.0.0.1",
    databaseUrl: `sqlite:${fileURLToPath(new URL("../data/blog.db", import.meta.url))}`,
    databasePooler: undefined,
    databaseListenUrl: undefined,
    redisUrl: undefined,
    jwtSecret: secret,
    bcryptCost: 14,
    loginRateLimit: true,
    trustedProxies: [],
    mailUrl: `file:${fileURLToPath(new URL("../data/mail", import.meta.url))}`,
    mailFrom: "Workbench <no-reply@example.com>",
    baseUrl: undefined,
    backupSchedule: undefined,
    backupFolder: fileURLToPath(new URL("../data/backups", import.meta.url)),
    metricsToken: undefined,
    nodeEnv: undefined,
    signingSecret: secret,
    warnings: [],
  });
});

test("importing the modules reads no variable and prints nothing", async () => {
  const env = { PORT: "abc", DATABASE_URL: "nonsense" };
  for (const file of ["src/app.module.ts", "src/pages/pages.module.ts", "src/serve.ts"]) {
    const { code, stdout, stderr } = await runFile(file, env);
    assert.deepEqual({ file, code, stdout, stderr }, { file, code: 0, stdout: "", stderr: "" });
  }
});

test("an entry point has its own default port, and PORT overrides it", () => {
  const pages = { PORT: "8081" };
  assert.equal(readConfig({ JWT_SECRET: secret }, pages).port, 8081);
  assert.equal(readConfig({ JWT_SECRET: secret, PORT: "20080" }, pages).port, 20_080);
});

test("every variable is read, and an empty one counts as not set", () => {
  const env = {
    PORT: "20080",
    HOST: "0.0.0.0",
    DATABASE_URL: "postgres://user:pass@host:5432/name",
    DATABASE_POOLER: "transaction",
    DATABASE_LISTEN_URL: "postgres://user:pass@server:5432/name",
    REDIS_URL: "redis://host:6379",
    JWT_SECRET: secret,
    BCRYPT_COST: "12",
    LOGIN_RATE_LIMIT: "off",
    TRUSTED_PROXIES: "10.0.0.0/8, ::1,192.0.2.7",
    MAIL_URL: "smtp://user:pass@mail:587",
    MAIL_FROM: "Blog <blog@example.com>",
    BASE_URL: "https://blog.example.com",
    BACKUP_SCHEDULE: "0 2 * * *",
    BACKUP_FOLDER: "/backups",
    METRICS_TOKEN: "0123456789abcdef",
    NODE_ENV: "development",
  };
  assert.deepEqual(readConfig(env), {
    port: 20_080,
    host: "0.0.0.0",
    databaseUrl: "postgres://user:pass@host:5432/name",
    databasePooler: "transaction",
    databaseListenUrl: "postgres://user:pass@server:5432/name",
    redisUrl: "redis://host:6379",
    jwtSecret: secret,
    bcryptCost: 12,
    loginRateLimit: false,
    trustedProxies: ["10.0.0.0/8", "::1", "192.0.2.7"],
    mailUrl: "smtp://user:pass@mail:587",
    mailFrom: "Blog <blog@example.com>",
    baseUrl: "https://blog.example.com",
    backupSchedule: "0 2 * * *",
    backupFolder: "/backups",
    metricsToken: "0123456789abcdef",
    nodeEnv: "development",
    signingSecret: secret,
    warnings: [],
  });
  const emptied = Object.fromEntries(Object.keys(env).map((name) => [name, ""]));
  const without = readConfig({ JWT_SECRET: secret });
  assert.deepEqual(readConfig({ ...emptied, JWT_SECRET: secret }), without);
});

test("postgresql:, rediss:, an absolute file and a database in memory are accepted", () => {
  for (const DATABASE_URL of ["postgresql://host/name", "sqlite:/tmp/x.db", "sqlite:///tmp/x.db", "sqlite::memory:"]) {
    assert.equal(readConfig({ JWT_SECRET: secret, DATABASE_URL }).databaseUrl, DATABASE_URL);
  }
  assert.equal(readConfig({ JWT_SECRET: secret, REDIS_URL: "rediss://h" }).redisUrl, "rediss://h");
});

test("a bad value is reported with the values that the variable takes", () => {
  const database = "DATABASE_URL takes for example sqlite:<file> or postgres://user@host/name.";
  const redis = "REDIS_URL takes for example redis://host:port.";
  for (const [name, value, message] of [
    ["PORT", "http", 'PORT is "http". It must be a whole number.'],
    ["PORT", "65536", 'PORT is "65536". It must be at most 65535.'],
    ["PORT", "-1", 'PORT is "-1". It must be at least 0.'],
    ["PORT", "80.5", 'PORT is "80.5". It must be a whole number.'],
    ["BCRYPT_COST", "9", 'BCRYPT_COST is "9". It must be at least 10.'],
    ["BCRYPT_COST", "16", 'BCRYPT_COST is "16". It must be at most 15.'],
    ["BCRYPT_COST", "0x0e", 'BCRYPT_COST is "0x0e". It must be a whole number.'],
    ["LOGIN_RATE_LIMIT", "no", 'LOGIN_RATE_LIMIT is "no". It must be true or false.'],
    [
      "TRUSTED_PROXIES",
      "10.0.0.0/33",
      'TRUSTED_PROXIES has "10.0.0.0/33". It takes addresses and CIDR ranges, such as 10.0.0.0/8, with commas between.',
    ],
    [
      "TRUSTED_PROXIES",
      "::1,proxy",
      'TRUSTED_PROXIES has "proxy". It takes addresses and CIDR ranges, such as 10.0.0.0/8, with commas between.',
    ],
    [
      "TRUSTED_PROXIES",
      "all",
      'TRUSTED_PROXIES has "all". It takes addresses and CIDR ranges, such as 10.0.0.0/8, with commas between.',
    ],
    ["DATABASE_URL", "mysql://root:hunter2@host/name", database],
    ["DATABASE_URL", "postgres://", database],
    ["DATABASE_URL", "sqlite:", database],
    ["DATABASE_URL", "blog.db", database],
    ["DATABASE_POOLER", "session", 'DATABASE_POOLER is "session". It must be one of transaction.'],
    ["DATABASE_LISTEN_URL", "sqlite:blog.db", "DATABASE_LISTEN_URL takes for example postgres://user@host/name."],
    ["REDIS_URL", "http://host", redis],
    ["REDIS_URL", "redis://", redis],
    ["REDIS_URL", "localhost:6379", redis],
    ["MAIL_URL", "mail.example.com:587", "MAIL_URL takes for example smtp://user:password@host:587 or file:<folder>."],
    ["BASE_URL", "blog.example.com", "BASE_URL takes for example https://blog.example.com."],
    ["METRICS_TOKEN", "hunter2", "METRICS_TOKEN must have at least 16 characters."],
    ["JWT_SECRET", "   ", "JWT_SECRET is empty. Give it at least 32 random bytes."],
    [
      "JWT_SECRET",
      "-----BEGIN PRIVATE KEY-----",
      "JWT_SECRET looks like a key file. Tokens are signed with HS256: give it random bytes.",
    ],
  ] as const) {
    assert.deepEqual(problemsOf({ JWT_SECRET: secret, [name]: value }), [message]);
  }
});

test("all bad values are reported at once, and a mistyped database does not require a secret", () => {
  assert.deepEqual(problemsOf({ PORT: "x", BCRYPT_COST: "x", DATABASE_URL: "x" }), [
    "DATABASE_URL takes for example sqlite:<file> or postgres://user@host/name.",
    'PORT is "x". It must be a whole number.',
    'BCRYPT_COST is "x". It must be a whole number.',
  ]);
});

test("an empty JWT_SECRET on embedded storage creates 32 random bytes once, in a 0600 file next to the SQLite file, and logs a warning", async () => {
  await withFolder(async (folder) => {
    const file = join(folder, "new", "jwt-secret");
    const env = { DATABASE_URL: `sqlite:${join(folder, "new", "blog.db")}` };
    const first = readConfig(env);
    assert.equal(Buffer.from(first.signingSecret, "base64url").byteLength, 32);
    assert.equal(readFileSync(file, "utf8"), first.signingSecret);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(first.warnings, [`JWT_SECRET is not set: tokens are signed with the secret in ${file}`]);
    assert.deepEqual(readConfig({ ...env, JWT_SECRET: "" }), first);
    assert.deepEqual(readdirSync(join(folder, "new")), ["jwt-secret"]);
    assert.equal(readConfig({ ...env, JWT_SECRET: secret }).signingSecret, secret);
  });
});

test("an empty JWT_SECRET on a database in memory creates another secret at every start and stores none", () => {
  const env = { DATABASE_URL: "sqlite::memory:" };
  const [first, second] = [readConfig(env), readConfig(env)];
  assert.notEqual(first.signingSecret, second.signingSecret);
  assert.deepEqual(first.warnings, [
    "JWT_SECRET is not set: tokens are signed with the secret in memory, lost at the next start",
  ]);
});

test("an empty JWT_SECRET with PostgreSQL or Redis, or in production, stops the start and names the variable", async () => {
  const message = "JWT_SECRET is empty. Set it to at least 32 random bytes: every instance needs the same one.";
  await withFolder(async (folder) => {
    const DATABASE_URL = `sqlite:${join(folder, "blog.db")}`;
    assert.deepEqual(problemsOf({ DATABASE_URL: "postgres://host/name" }), [message]);
    assert.deepEqual(problemsOf({ DATABASE_URL, REDIS_URL: "redis://host" }), [message]);
    assert.deepEqual(problemsOf({ DATABASE_URL, NODE_ENV: "production" }), [message]);
    assert.deepEqual(problemsOf({ DATABASE_URL, NODE_ENV: "production", JWT_SECRET: secret }), []);
    assert.deepEqual(readdirSync(folder), []);
  });
});

test("a JWT_SECRET under 32 bytes stops the start in production and names the variable", () => {
  const short = { JWT_SECRET: "é".repeat(15) };
  assert.deepEqual(problemsOf({ ...short, NODE_ENV: "production" }), [
    "JWT_SECRET has fewer than 32 bytes and can be guessed. Give it at least 32 random bytes.",
  ]);
  assert.deepEqual(problemsOf(short), []);
  assert.deepEqual(problemsOf({ JWT_SECRET: "é".repeat(16), NODE_ENV: "production" }), []);
});

test("a secret that can be neither read nor stored stops the start and names the variable and the file", async () => {
  await withFolder(async (folder) => {
    const file = join(folder, "jwt-secret");
    const env = { DATABASE_URL: `sqlite:${join(folder, "blog.db")}` };
    writeFileSync(file, "");
    const start = `JWT_SECRET is not set, and none can be stored in ${file}: `;
    assert.deepEqual(problemsOf(env), [`${start}${file} is empty: remove it`]);
    mkdirSync(join(folder, "sub"));
    writeFileSync(join(folder, "sub", "file"), "");
    const [problem = ""] = problemsOf({ DATABASE_URL: `sqlite:${join(folder, "sub", "file", "blog.db")}` });
    assert.ok(problem.startsWith("JWT_SECRET is not set, and none can be stored in "), problem);
  });
});

test("a stored secret under 32 bytes is used", async () => {
  await withFolder(async (folder) => {
    writeFileSync(join(folder, "jwt-secret"), "kept by hand");
    const { signingSecret } = readConfig({ DATABASE_URL: `sqlite:${join(folder, "blog.db")}` });
    assert.equal(signingSecret, "kept by hand");
  });
});

test("instances that start together on a new folder agree on one secret", async () => {
  await withFolder(async (folder) => {
    const env = { DATABASE_URL: `sqlite:${join(folder, "new", "blog.db")}` };
    const runs = await Promise.all(Array.from({ length: 6 }, () => runFile("test/fixtures/print-secret.ts", env)));
    assert.deepEqual(new Set(runs.map(({ code }) => code)), new Set([0]));
    const secrets = new Set(runs.map(({ stdout }) => stdout));
    assert.deepEqual([...secrets], [readFileSync(join(folder, "new", "jwt-secret"), "utf8")]);
    assert.deepEqual(readdirSync(join(folder, "new")), ["jwt-secret"]);
  });
});

test("every entry point trusts the proxies of TRUSTED_PROXIES, and by default none", async () => {
  for (const [file, path, TRUSTED_PROXIES, address] of [
    ["src/main.api.ts", "/auth/login", "127.0.0.0/8", "192.0.2.9"],
    ["src/main.tutorial.ts", "/auth/login", "127.0.0.0/8", "192.0.2.9"],
    ["src/main.web.ts", "/login", "127.0.0.0/8", "192.0.2.9"],
    ["src/main.api.ts", "/auth/login", "", "127.0.0.1"],
  ] as const) {
    const env = { DATABASE_URL: "sqlite::memory:", BCRYPT_COST: "10", TRUSTED_PROXIES };
    await withServer(file, env, async (server) => {
      const json = { email: "nobody@example.com", password: "correct horse" };
      const headers = { "x-forwarded-for": "192.0.2.9" };
      const { status } = await server.client.call("POST", path, { json, headers });
      assert.equal(status, 401);
      await server.logs("login failed");
      assert.ok(
        server.lines.some((line) => line.includes("login failed") && line.includes(address)),
        `${file} ${TRUSTED_PROXIES}`,
      );
    });
  }
});

test("a bad value exits with code 1 and one line on stderr", async () => {
  const level = { LOG_LEVEL: "loud", DATABASE_URL: "sqlite::memory:" };
  const page = "See docs/errors.md#bad_environment\n";
  const [badPort, badLevel] = await Promise.all([
    runFile("src/main.api.ts", { PORT: "http" }),
    runFile("src/main.tutorial.ts", level),
  ]);
  const stderr = `Cannot start: PORT is "http". It must be a whole number. ${page}`;
  assert.deepEqual(badPort, { code: 1, stdout: "", stderr });
  assert.deepEqual(badLevel, {
    code: 1,
    stdout: "",
    stderr: `Cannot start: LOG_LEVEL is "loud". Use one of: trace, debug, info, warn, error, fatal, silent. ${page}`,
  });
});

test("a pattern of backups that cannot be read is reported", () => {
  const messages = problemsOf({ JWT_SECRET: secret, BACKUP_SCHEDULE: "at night" });
  assert.deepEqual(messages, ['BACKUP_SCHEDULE is not a cron pattern in UTC, such as "0 2 * * *".']);
});

test("in production the pages and the worker need a mail server and their address, and the other entry points do not", async () => {
  await withFolder(async (folder) => {
    const env = { NODE_ENV: "production", JWT_SECRET: secret, DATABASE_URL: `sqlite:${join(folder, "blog.db")}` };
    for (const file of ["src/main.web.ts", "src/main.worker.ts"]) {
      const { code, stderr } = await runFile(file, { ...env, MAIL_URL: "" });
      assert.equal(code, 1, file);
      assert.match(stderr, /BASE_URL/);
      assert.match(stderr, /MAIL_URL/);
    }
    const { code, stdout, stderr } = await runFile(
      "src/main.cli.ts",
      { ...env, MAIL_URL: "" },
      { args: ["users", "list"] },
    );
    assert.deepEqual([code, stderr], [0, ""], stdout);
    for (const file of ["src/main.api.ts", "src/main.tutorial.ts"]) {
      await withServer(file, { ...env, MAIL_URL: "" }, async ({ client }) => {
        assert.equal((await client.get("/posts")).status, 200, file);
      });
    }
    const MAIL_URL = "smtp://127.0.0.1:20999?tls=off";
    const mail = { MAIL_URL, MAIL_FROM: "Blog <blog@example.com>", BASE_URL: "https://blog.example.com" };
    assert.deepEqual(problemsOf({ ...env, ...mail, MAIL_FROM: "" }), [
      "MAIL_FROM is not set. It takes the sender of every mail, such as Blog <blog@example.com>.",
    ]);
    await withServer("src/main.web.ts", { ...env, ...mail }, async ({ client }) => {
      assert.equal((await client.call("GET", "/login")).status, 200);
    });
  });
});
