import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { createLog } from "../../src/log/log.ts";
import { LogWriter } from "../../src/log/log-writer.ts";
import { pipeOf } from "../support/pipe.ts";
import { until } from "../support/until.ts";

const capacity = 1024 * 1024;

function createWriter(fd: number): LogWriter {
  const writer = new LogWriter(fd);
  writer.describeDropped = (count) => `dropped ${count}\n`;
  return writer;
}

/** Writes numbered lines of 1 KiB. */
function fill(writer: LogWriter, from: number, count: number): void {
  for (let index = from; index < from + count; index++) writer.write(`${String(index).padStart(1023, "0")}\n`);
}

const numbersIn = (text: string) => text.split("\n").flatMap((line) => (/^\d{1023}$/.test(line) ? [Number(line)] : []));
const droppedIn = (text: string) => [...text.matchAll(/^dropped (\d+)$/gm)].map(([, count]) => Number(count));
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

test("lines reach a pipe in order", async (t) => {
  const pipe = pipeOf(t);
  const writer = createWriter(pipe.fd);
  fill(writer, 0, 300);
  await pipe.until(/299\n$/);
  fill(writer, 300, 2);
  assert.deepEqual(numbersIn(await pipe.until(/301\n$/)), upTo(302));
});

/** Waits until the writer has failed so many times in a row: the time before it tries again doubles. */
function failuresOf(t: TestContext): (count: number) => Promise<void> {
  const { mock } = t.mock.method(globalThis, "setTimeout");
  return (count) => {
    const wait = 10 * 2 ** (count - 1);
    return until(() => mock.calls.some(({ arguments: [, delay] }) => delay === wait), `${count} failed writes`);
  };
}

test("lines that do not fit in the buffer while a reader stalls are dropped, and reported when it reads again", async (t) => {
  const pipe = pipeOf(t);
  const failures = failuresOf(t);
  const writer = createWriter(pipe.fd);
  fill(writer, 0, 1000);
  await failures(2); // a write that would block, and one that was tried again
  fill(writer, 1000, 1000);
  await failures(3);
  fill(writer, 2000, 1000);
  const text = await pipe.until(/^dropped \d+$/m);
  const numbers = numbersIn(text);
  const [dropped = 0, ...others] = droppedIn(text);
  assert.equal(others.length, 0);
  assert.equal(numbers.length + dropped, 3000);
  assert.deepEqual(numbers, upTo(numbers.length), "the oldest are kept, each of them whole");
  assert.ok(numbers.length >= 1024 && text.length < capacity + 256 * 1024, `${text.length} bytes were kept`);
  fill(writer, 3000, 1);
  assert.match(await pipe.until(/3000\n$/), /\ndropped \d+\n0+3000\n$/);
});

test("a buffer that one turn fills reports what it has dropped, after the lines that fitted", async (t) => {
  const pipe = pipeOf(t);
  fill(createWriter(pipe.fd), 0, 1030);
  const text = await pipe.until(/dropped/);
  assert.deepEqual([numbersIn(text), droppedIn(text)], [upTo(1024), [6]]);
});

test("the buffer is counted in bytes, and holds one line of any length", async (t) => {
  const pipe = pipeOf(t);
  const writer = createWriter(pipe.fd);
  writer.write(`${"é".repeat(capacity)}\n`);
  writer.write("does not fit\n");
  assert.match(await pipe.until(/dropped/), /^(?:\u00c3\u00a9)+\ndropped 1\n$/);
});

for (const begun of [true, false]) {
  test(`a reader that goes away ${begun ? "after" : "before"} the first line costs no line that fits until it is back`, async (t) => {
    const pipe = pipeOf(t);
    const writer = createWriter(pipe.fd);
    if (begun) {
      fill(writer, 0, 1);
      await pipe.until(/0\n$/);
    }
    const failures = failuresOf(t);
    pipe.closeReader();
    fill(writer, begun ? 1 : 0, begun ? 9 : 10);
    await failures(3);
    pipe.openReader();
    assert.deepEqual(numbersIn(await pipe.until(/9\n$/)), upTo(10));
  });
}

/** Collects lines, and fails for each while `broken` says how. */
class Destination {
  readonly lines: { readonly level: string; readonly msg: string; readonly dropped?: number }[] = [];
  broken: "throws" | "rejects" | undefined;

  write(line: string): unknown {
    if (this.broken === "throws") throw new Error("the disk is full");
    if (this.broken === "rejects") return Promise.reject(new Error("the disk is full"));
    return this.lines.push(JSON.parse(line)); // the log's own line
  }
}

for (const broken of ["throws", "rejects"] as const) {
  test(`a destination that ${broken} fails no caller, and gets the later lines`, async () => {
    const destination = new Destination();
    const log = createLog({ level: "error", destination });
    destination.broken = broken;
    for (let index = 0; index < 5; index++) {
      log.error("lost");
      await turn(); // unhandled, a rejection would fail the test
    }
    destination.broken = undefined;
    log.error("kept");
    log.error("kept too");
    assert.deepEqual(
      destination.lines.map(({ msg }) => msg),
      ["kept", "kept too"],
    );
  });
}
