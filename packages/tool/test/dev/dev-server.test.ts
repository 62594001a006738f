import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { root } from "../../../../test/support/run.ts";
import { until } from "../../../core/test/support/until.ts";
import { createApplication } from "../support/described-app.ts";

const limit = { timeout: 240_000 };

/** `tenon dev` in the folder of an application, as a process of its own. */
class Running {
  readonly child: ChildProcess;
  /** What it and the application have printed. */
  output = "";

  constructor(folder: string, words: readonly string[], env: Readonly<Record<string, string>>) {
    const main = join(root, "packages/tool/src/main.ts");
    const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, LOG_LEVEL: ___, ...inherited } = process.env;
    this.child = spawn(process.execPath, ["--conditions=@tenon/source", main, "dev", ...words], {
      cwd: folder,
      env: { ...inherited, PORT: "0", ...env }, // no test opens the default port
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child.stdout?.setEncoding("utf8").on("data", (text) => (this.output += text));
    this.child.stderr?.setEncoding("utf8").on("data", (text) => (this.output += text));
  }

  /** The match, once it was printed. Forgets what came before it. */
  async until(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.output);
      if (match !== null) {
        this.output = this.output.slice(match.index + match[0].length);
        return match;
      }
      assert.equal(this.child.exitCode, null, `it ended:\n${this.output}`);
      await wait(10);
    }
  }

  async stop(signal: NodeJS.Signals = "SIGINT"): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    const ended = once(this.child, "close");
    this.child.kill(signal);
    const [code] = await ended;
    return code;
  }
}

function dev(
  t: TestContext,
  folder: string,
  words: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  const running = new Running(folder, words, env);
  t.after(() => running.stop("SIGTERM"));
  return running;
}

const controller = (text: string) => `import { defineModule, type Routes } from "@tenon/core";
class Home {
  routes(): Routes {
    return [{ method: "GET", path: "/home", handler: () => "${text}" }];
  }
}
export const AppModule = defineModule({ name: "app", declarations: [Home] });
`;

const main = `import { api, createApp } from "@tenon/core";
import { AppModule } from "./app.module.ts";
const app = await createApp(AppModule, api({ middlewares: [] }));
app.log.warn("one warning");
const port = process.argv.find((word) => word.startsWith("--port="))?.slice(7);
await app.listen({ port: Number(port ?? 0) });
`;

function createTenonApplication(files: Readonly<Record<string, string>> = {}): string {
  const folder = createApplication({ "src/main.ts": main, "src/app.module.ts": controller("one"), ...files });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

const secretsFile = "node_modules/.cache/tenon/dev.env";
const freePort = 20_000 + (process.pid % 9_000);

test("a change restarts the application at the same port, with one line", limit, async (t) => {
  const folder = createTenonApplication();
  const url = `http://127.0.0.1:${freePort}`;
  const running = dev(t, folder, [`--port=${freePort}`]);
  await running.until(/one warning.*\n/);
  await running.until(new RegExp(`url +${url}\\n`));
  assert.equal(await (await fetch(`${url}/home`)).json(), "one");
  writeFileSync(join(folder, "src/app.module.ts"), controller("two"));
  await running.until(/restarted, \d+\.\d s: src\/app\.module\.ts changed\n/);
  assert.equal(await (await fetch(`${url}/home`)).json(), "two");
  assert.doesNotMatch(running.output, /listening|stopping|url/);
  assert.equal(await running.stop(), 130);
  await assert.rejects(fetch(`${url}/home`));
});

test("a syntax error is shown, and a later change starts the application again", limit, async (t) => {
  const folder = createTenonApplication();
  const running = dev(t, folder);
  await running.until(/url +http/);
  writeFileSync(join(folder, "src/app.module.ts"), "export const AppModule = ;\n");
  await running.until(/SyntaxError: Expression expected\n\n {2}src\/app\.module\.ts:1:26\n/);
  await running.until(/src\/main\.ts failed with exit code 1: waiting for a change\n/);
  assert.doesNotMatch(running.output, /node:internal/);
  writeFileSync(join(folder, "src/app.module.ts"), controller("three"));
  await running.until(/restarted, .*: src\/app\.module\.ts changed\n/);
});

test("an application that does not start at first starts after a change", limit, async (t) => {
  const folder = createTenonApplication({ "src/app.module.ts": "export const AppModule = 1;" });
  const running = dev(t, folder);
  await running.until(/Cannot start: /);
  await running.until(/waiting for a change\n/);
  writeFileSync(join(folder, "src/app.module.ts"), controller("one"));
  await running.until(/url +http/);
  writeFileSync(join(folder, "src/app.module.ts"), controller("two"));
  await running.until(/restarted, /);
});

test("the port of an application that does not start has a page with the error until it starts", limit, async (t) => {
  const folder = createTenonApplication({ "src/app.module.ts": "export const AppModule = <b>;" });
  const port = freePort + 1;
  const url = `http://127.0.0.1:${port}`;
  const running = dev(t, folder, [`--port=${port}`]);
  await running.until(/failed with exit code 1: waiting for a change\n/);
  const ask = async (headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/home`, { headers: { accept: "text/html", ...headers } });
    return { status: response.status, text: await response.text() };
  };
  const failed = () =>
    ask().then(
      ({ status }) => status === 503,
      () => false,
    );
  await until(failed, "page of the first start");
  assert.match((await ask()).text, /The terminal of tenon dev says why/);
  assert.doesNotMatch((await ask()).text, /SyntaxError|app\.module/, "a stranger sees nothing of it");
  const [, secret = ""] = /TENON_DEV_SECRET=(\S+)/.exec(readFileSync(join(folder, secretsFile), "utf8")) ?? [];
  const developer = { "x-tenon-dev": secret };
  assert.match((await ask(developer)).text, /SyntaxError: [\s\S]*src\/app\.module\.ts:1:\d+[\s\S]*= &lt;b>;/);

  writeFileSync(join(folder, "src/app.module.ts"), "export const AppModule = 1;");
  await running.until(/waiting for a change\n/);
  await until(failed, "page of the second start");
  assert.match((await ask({ ...developer, accept: "application/json" })).text, /^Cannot start: /);

  writeFileSync(join(folder, "src/app.module.ts"), controller("one"));
  await running.until(/url +http/);
  assert.equal((await ask()).text, '"one"');
  writeFileSync(join(folder, "src/app.module.ts"), "throw new Error('no module');");
  await running.until(/waiting for a change\n/);
  await until(failed, "page after a restart that failed");
  const events = await fetch(`${url}/@tenon/events`, { headers: developer });
  assert.match(await events.text(), /^event: start\ndata: \S+\n\n$/, "open pages reload");
  await running.stop();
  await assert.rejects(fetch(url), "nothing holds the port");
});

test("the cause of a start that fails is shown with its source", limit, async (t) => {
  const failing = `import { defineModule } from "@tenon/core";
class Posts {
  async onStart() {
    throw new Error("no posts");
  }
}
export const AppModule = defineModule({ name: "app", declarations: [Posts] });
`;
  const running = dev(t, createTenonApplication({ "src/app.module.ts": failing }));
  await running.until(/Cannot start: onStart\(\) of Posts \(module "app"\) failed: no posts/);
  await running.until(/\nError: no posts\n\n {2}src\/app\.module\.ts:4:11\n\n[\s\S]*> 4 \| {5}throw new Error/);
  await running.until(/src\/main\.ts failed with exit code 1: waiting for a change\n/);
});

/** Prints its variables, then what it does when it is stopped. */
const script = (
  onStop: string,
) => `const { SESSION_SECRET, JWT_SECRET, NODE_ENV, TENON_DEV, TENON_DEV_SECRET, OWN } = process.env;
process.on("SIGTERM", () => { ${onStop} });
setInterval(() => {}, 1000);
console.log(JSON.stringify({ NODE_ENV, SESSION_SECRET, JWT_SECRET, TENON_DEV, TENON_DEV_SECRET, OWN, words: process.argv.slice(2), pid: process.pid }));
process.send({ tenon: "listening" }, () => {}); // the tool may have been killed by now
`;
const printed = async (running: Running) => JSON.parse((await running.until(/\{"NODE_ENV".*\}\n/))[0]);

test("secrets stay the same across restarts, and in the next run", limit, async (t) => {
  const folder = createApplication({ "src/main.ts": script("process.exit(0)") });
  const running = dev(t, folder, ["--host=localhost"], { NODE_ENV: "production" });
  const first = await printed(running);
  assert.deepEqual(
    [first.NODE_ENV, first.TENON_DEV, first.words, Buffer.from(first.SESSION_SECRET, "base64url").length],
    ["development", "start", ["--host=localhost"], 32],
  );
  writeFileSync(join(folder, ".env"), "OWN=1");
  const second = await printed(running);
  assert.deepEqual([second.SESSION_SECRET, second.TENON_DEV], [first.SESSION_SECRET, "restart"]);
  assert.deepEqual([second.JWT_SECRET, second.TENON_DEV_SECRET], [first.JWT_SECRET, first.TENON_DEV_SECRET]);
  assert.match(first.TENON_DEV_SECRET, /^[\w-]{43}$/);
  assert.equal(new Set([first.JWT_SECRET, first.SESSION_SECRET, first.TENON_DEV_SECRET]).size, 3);
  await running.until(/restarted, \d+\.\d s: \.env changed\n/);
  writeFileSync(join(folder, ".env"), "SESSION_SECRET=of-the-file\nTENON_DEV_SECRET=of-the-file");
  const third = await printed(running);
  assert.equal(third.TENON_DEV_SECRET, first.TENON_DEV_SECRET);
  assert.deepEqual([third.SESSION_SECRET, third.JWT_SECRET], [undefined, first.JWT_SECRET], "it reads .env itself");
  await running.stop();
  rmSync(join(folder, ".env"));
  const next = await printed(dev(t, folder));
  assert.deepEqual(
    [next.SESSION_SECRET, next.JWT_SECRET, next.TENON_DEV_SECRET],
    [first.SESSION_SECRET, first.JWT_SECRET, first.TENON_DEV_SECRET],
  );
  assert.equal(statSync(join(folder, secretsFile)).mode & 0o777, 0o600);
});

test("an application that does not stop is killed", limit, async (t) => {
  const folder = createApplication({ "src/main.ts": script("") });
  const running = dev(t, folder);
  const { pid } = await printed(running);
  writeFileSync(join(folder, "src/main.ts"), script("process.exit(0)"));
  await printed(running);
  assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
});

test("the application stops when tenon dev is killed", limit, async (t) => {
  const folder = createApplication({
    "src/main.ts": script('process.getBuiltinModule("node:fs").writeFileSync("stopped.log", "yes"); process.exit(0)'),
  });
  const running = dev(t, folder);
  await printed(running);
  await running.stop("SIGKILL");
  const log = join(folder, "stopped.log");
  await until(() => existsSync(log) && readFileSync(log, "utf8") === "yes", "stop of the application");
});

test("an application that ends by itself is started again after a change", limit, async (t) => {
  const folder = createApplication({ "src/main.ts": 'console.log("done");' });
  const running = dev(t, folder);
  await running.until(/done\nsrc\/main\.ts ended: waiting for a change\n/);
  writeFileSync(join(folder, "src/main.ts"), 'console.log("again"); process.kill(process.pid, "SIGKILL");');
  await running.until(/again\nsrc\/main\.ts was ended by SIGKILL: waiting for a change\n/);
});

test("a folder without an entry point is one line", limit, async (t) => {
  const running = new Running(createApplication({}), [], {});
  t.after(() => running.stop());
  const [code] = await once(running.child, "close");
  assert.equal(code, 1);
  assert.match(running.output, /^tenon: .* has no entry point: /);
});
