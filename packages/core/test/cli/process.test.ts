import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ChildCommand } from "../support/child-command.ts";

const execute = promisify(execFile);
const hasScript = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") === true;
const closed = "the store is closed\n";
const run = (argv: readonly string[], env: Record<string, string> = {}, input = "") =>
  new ChildCommand(argv, env).end(input).result();
const table = "id  title\n1   The first post\n2   The second post\n";

/** Runs a command on a real terminal where the system can open one, else on streams that say they are one. */
async function runOnTerminal(argv: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const fixture = fileURLToPath(new URL("../fixtures/blog.ts", import.meta.url));
  const node = [process.execPath, "--disable-warning=ExperimentalWarning", "--conditions=@tenon/source"];
  const { LOG_LEVEL: _, NO_COLOR: __, NODE_OPTIONS: ___, FORCE_COLOR: ____, ...inherited } = process.env;
  const line = [...node, fixture, ...argv].map((part) => `'${part}'`).join(" ");
  const shell = hasScript ? ["script", "-qec", `stty cols 20; ${line}`, "/dev/null"] : ["sh", "-c", `${line} 2>&1`];
  const [command = "", ...args] = shell;
  const fake = hasScript ? {} : { FAKE_TERMINAL: "1" };
  const options = { env: { ...inherited, ...fake, ...env }, timeout: 240_000 };
  return (await execute(command, args, options)).stdout.replaceAll("\r\n", "\n");
}

/** Does something to a command once it has said a word, and waits for its end. */
async function runUntil(
  word: string,
  argv: readonly string[],
  action: (child: ChildCommand) => unknown,
  env: Record<string, string> = {},
) {
  const child = await new ChildCommand(argv, env).waitFor(word);
  await action(child);
  return child.result();
}

// all at once: each of them is a process that takes its time to load
const runs = {
  done: run(["posts", "list"], { TELL_CODE: "1" }),
  failed: run(["fail"], { TELL_CODE: "1" }),
  usage: run(["posts", "lst"], { TELL_CODE: "1" }),
  warn: run(["warn"]),
  info: run(["warn"], { LOG_LEVEL: "info" }),
  brokenStart: run(["posts", "list"], { BROKEN_START: "1" }),
  stopped: run(["posts", "list"], { STOPPED_BEFORE: "1" }),
  import: run(["import"], {}, "from a pipe"),
  stuck: run(["stuck"]),
  sigint: runUntil("waiting", ["wait"], (child) => child.signal("SIGINT")),
  sigterm: runUntil("waiting", ["wait"], (child) => child.signal("SIGTERM")),
  stubborn: runUntil("waiting", ["stubborn"], (child) => child.signal("SIGINT"), { STOP_TIMEOUT: "20" }),
  twice: runUntil("waiting", ["stubborn"], async (child) => {
    await child.signal("SIGINT").waitFor("aborted");
    child.signal("SIGINT");
  }),
  early: runUntil("starting", ["posts", "list"], (child) => child.signal("SIGINT"), { SLOW_START: "1" }),
  silent: runUntil("reading", ["import"], (child) => child.write("half").signal("SIGINT")),
  pipe: runUntil("", ["many"], (child) => child.closeOutput()),
  table: runOnTerminal(["posts", "list"]),
  colorless: runOnTerminal(["posts", "list"], { NO_COLOR: "1" }),
};

test("a command that succeeds ends the process with 0: result on stdout, hooks around it", async () => {
  assert.deepEqual(await runs.done, { code: 0, stdout: table, stderr: `${closed}run() gave 0\n` });
});

test("a command that fails ends it with 1, a command that is not known with 2 and without a start", async () => {
  assert.deepEqual(await runs.failed, { code: 1, stdout: "", stderr: `blog: Post not found\n${closed}run() gave 1\n` });
  assert.deepEqual(await runs.usage, {
    code: 2,
    stdout: "",
    stderr: 'blog: unknown command "posts lst". Did you mean "posts list"?\nrun() gave 2\n',
  });
});

test("the log goes to stderr: warnings by default, what LOG_LEVEL says otherwise", async () => {
  const { code, stdout, stderr } = await runs.warn;
  assert.deepEqual([code, stdout], [0, "done\n"]);
  assert.match(stderr, /^\{"level":"warn",.*"msg":"be careful"\}\nthe store is closed\n$/);
  const info = await runs.info;
  assert.equal(info.stdout, "done\n");
  assert.match(info.stderr, /^\{"level":"info",.*"msg":"the store is open"\}\n\{"level":"warn"/);
});

test("a start that fails ends it with 1 and one line", async () => {
  assert.deepEqual(await runs.brokenStart, {
    code: 1,
    stdout: "",
    stderr:
      'Cannot start: onStart() of Store (module "blog") failed: no disk. LOG_LEVEL=debug shows where it was thrown. See docs/errors.md#start_hook_failed\n',
  });
});

test("an application that has been stopped runs no command: run() rejects", async () => {
  const { code, stdout, stderr } = await runs.stopped;
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /StartError: The application has been stopped and does not start again/);
});

test("standard input is read to its end", async () => {
  assert.deepEqual(await runs.import, { code: 0, stdout: "from a pipe\n", stderr: `reading\n${closed}` });
});

test("a process whose command waits for nothing has failed", async () => {
  assert.equal((await runs.stuck).code, 1);
});

for (const [signal, code, ended] of [
  ["SIGINT", 130, runs.sigint],
  ["SIGTERM", 143, runs.sigterm],
] as const) {
  test(`${signal} aborts ctx.signal, runs onStop() and ends the process with ${code}`, async () => {
    assert.deepEqual(await ended, { code, stdout: "", stderr: `waiting\n${closed}` });
  });
}

test("a stop continues without a command that ignores its signal, and the hooks still run", async () => {
  const { code, stderr } = await runs.stubborn;
  assert.equal(code, 130);
  assert.match(
    stderr,
    /^waiting\naborted\n\{.*"the command did not end in time: the stop goes on without it"\}\nthe store is closed\n$/,
  );
});

test("a second signal ends the process at once", async () => {
  assert.deepEqual(await runs.twice, { code: 130, stdout: "", stderr: "waiting\naborted\n" });
});

test("a signal during the start ends the process with its code, and the command never runs", async () => {
  assert.deepEqual(await runs.early, { code: 130, stdout: "", stderr: `starting\n${closed}` });
});

test("a signal ends a command that waits for standard input", async () => {
  const { code, stderr } = await runs.silent;
  assert.deepEqual([code, stderr], [130, `reading\n${closed}`]);
});

test("a reader that closes the pipe ends the command without an error, and stops its source", async () => {
  const { code, stderr } = await runs.pipe;
  assert.deepEqual([code, stderr], [0, `the source is closed\n${closed}`]);
});

test("on a terminal a table fits and its names stand out, unless NO_COLOR is set", async () => {
  assert.equal(await runs.table, `\u001b[1mid  title\u001b[22m\n1   The first post\n2   The second post\n${closed}`);
  assert.equal(await runs.colorless, `${table}${closed}`);
});
