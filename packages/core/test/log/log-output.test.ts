import assert from "node:assert/strict";
import type { ChildProcess, StdioOptions } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { folderOf, pipeOf } from "../support/pipe.ts";
import { sendRaw } from "../support/raw-socket.ts";
import { spawnFixture } from "../support/run-fixture.ts";

const patience = 240_000;

/** A fixture whose standard output is given to it. */
function start(t: TestContext, name: string, args: readonly string[], stdio: StdioOptions): ChildProcess {
  const child = spawnFixture(name, args, { stdio, killSignal: "SIGKILL" });
  t.after(() => child.kill("SIGKILL"));
  return child;
}

/** A server that has sent its port, and calls to it. */
async function startServer(t: TestContext, output: number | "pipe") {
  const child = start(t, "logging-server.ts", [], ["ignore", output, "inherit", "ipc"]);
  const ended = endOf(child);
  const port = await Promise.race([
    once(child, "message").then(([sent]) => sent as number), // the fixture's own message
    ended.then((end) => assert.fail(`the server ended with ${end} before it listened`)),
  ]);
  /** Logs a line of 64 KiB. */
  const log = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/log/65536`, { signal: AbortSignal.timeout(patience) });
    return [response.status, await response.text()];
  };
  return { child, ended, port, log };
}

/** Its exit code, or the signal that ended it. */
async function endOf(child: ChildProcess): Promise<unknown> {
  const [code, signal] = await once(child, "exit");
  return code ?? signal;
}

async function textOf(stream: AsyncIterable<Buffer> | null): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const indexesIn = (text: string) => [...text.matchAll(/"index":(\d+)/g)].map(([, index]) => Number(index));

for (const [way, code, count] of [
  ["natural", 0, 3],
  ["exit", 7, 3],
  ["throw", 1, 3],
  ["during-write", 7, 4],
  ["exit-listener", 7, 4],
] as const) {
  test(`the last lines are written when the process ends: ${way}`, async (t) => {
    const path = join(folderOf(t), "log");
    const file = openSync(path, "w");
    const toFile = start(t, "log-and-end.ts", [way], ["ignore", file, "ignore"]);
    closeSync(file);
    const pipe = pipeOf(t);
    const toPipe = start(t, "log-and-end.ts", [way], ["ignore", pipe.fd, "ignore"]);
    assert.deepEqual(await Promise.all([toFile, toPipe].map(endOf)), [code, code]);
    const expected = Array.from({ length: count }, (_, index) => index);
    // the thread pool may write what it has begun after the last lines
    assert.deepEqual(indexesIn(readFileSync(path, "utf8")).toSorted(), expected);
    assert.deepEqual(indexesIn(await pipe.until(new RegExp(`"index":${count - 1},.*\n$`))), expected);
  });
}

/** An output that cannot be written. */
const broken: Record<string, (t: TestContext) => number | "pipe"> = {
  "a full disk": (t) => {
    const fd = openSync("/dev/full", "w");
    t.after(() => closeSync(fd));
    return fd;
  },
  "a closed pipe": (t) => {
    const pipe = pipeOf(t);
    pipe.closeReader();
    return pipe.fd;
  },
  "a stalled pipe": (t) => pipeOf(t).fd,
  "a stalled socket": () => "pipe",
};

for (const [name, open] of Object.entries(broken)) {
  test(`${name} as standard output fails no request, keeps none waiting, and lets the process end with 0`, async (t) => {
    const { child, ended, port, log } = await startServer(t, open(t));
    // more than the buffer and the pipe hold
    for (let index = 0; index < 40; index++) assert.deepEqual(await log(), [200, '"logged"']);
    assert.equal((await sendRaw(port, "GET / HTTP/1.1\r\n\r\n")).status, 400);
    child.kill("SIGTERM");
    assert.equal(await ended, 0);
    child.stdout?.destroy();
  });

  test(`${name} as standard output does not keep a process from its end`, async (t) => {
    assert.equal(await endOf(start(t, "log-and-end.ts", ["exit", "20000"], ["ignore", open(t), "ignore"])), 7);
  });
}

for (const [name, open] of Object.entries(broken)) {
  test(`${name} as standard error costs a command its log, and not its result`, async (t) => {
    const command = start(t, "log-before-run.ts", ["500000"], ["ignore", "pipe", open(t)]);
    const ended = endOf(command);
    assert.equal(await textOf(command.stdout), "spoken\n");
    assert.equal(await ended, 0);
    command.stderr?.destroy();
  });
}

for (const name of ["a full disk", "a closed pipe"]) {
  test(`${name} as standard error does not change how a failed start ends`, async (t) => {
    const output = broken[name]?.(t);
    assert.equal(await endOf(start(t, "failing-start.ts", ["wiring"], ["ignore", "ignore", output])), 1);
  });
}

test("what a stalled reader has missed is reported as soon as it reads", async (t) => {
  const pipe = pipeOf(t);
  const { child, ended, log } = await startServer(t, pipe.fd);
  const requests = 40;
  for (let index = 0; index < requests; index++) await log();
  const text = await pipe.until(/"msg":"log lines were dropped"\}\n/);
  child.kill("SIGTERM");
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { level: string; dropped?: number }); // the log's own
  const { level, dropped = 0 } = lines.find((line) => line.dropped !== undefined) ?? { level: "" };
  assert.equal(level, "warn");
  assert.equal(lines.length - 1 + dropped, 1 + 2 * requests, "the start, and two for each request");
  assert.equal(await ended, 0);
});
