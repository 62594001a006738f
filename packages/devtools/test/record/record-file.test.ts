import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { until } from "../../../core/test/support/until.ts";
import { RecordBuffer } from "../../src/record/record-buffer.ts";
import { claimRecordFile, RecordFile } from "../../src/record/record-file.ts";
import type { Recorded } from "../../src/record/recorded.ts";

function record(id: string): Recorded {
  const at = "2026-01-02T03:04:05.678Z";
  return { id, kind: "request", at, ms: 1, method: "GET", target: "/", spans: [], droppedSpans: 0, logs: [] };
}

const idsOf = (path: string) => new RecordFile(path).read().map(({ id }) => id);

test("a file that has grown too large is written anew with what the buffer holds", async () => {
  const path = join(temporaryFolder("records"), "requests.jsonl");
  const buffer = new RecordBuffer(2, new RecordFile(path, 1000));
  for (let number = 0; number < 20; number++) buffer.add(record(`r${number}`));
  await until(() => idsOf(path).length === 2, "file with two records");
  assert.deepEqual(idsOf(path), ["r18", "r19"]);
  assert.ok(statSync(path).size < 1000);
});

test("large records push out older ones, so that memory and file stay bounded", () => {
  const path = join(temporaryFolder("records"), "requests.jsonl");
  const buffer = new RecordBuffer(1000, new RecordFile(path), 5000);
  const large = (id: string): Recorded => ({ ...record(id), target: `/${"x".repeat(1000)}` });
  for (let number = 0; number < 20; number++) buffer.add(large(`r${number}`));
  buffer.add(large("r19"));
  assert.deepEqual(
    buffer.list().map(({ id }) => id),
    ["r19", "r18", "r17", "r16"],
  );
  buffer.add({ ...record("huge"), target: `/${"x".repeat(9000)}` });
  assert.deepEqual(
    buffer.list().map(({ id }) => id),
    ["huge"],
  );
  buffer.add(record("small"));
  assert.deepEqual(
    buffer.list().map(({ id }) => id),
    ["small"],
  );
});

test("a record after a line that a crash has cut off is kept", () => {
  const path = join(temporaryFolder("records"), "requests.jsonl");
  const file = new RecordFile(path);
  file.append(record("one"), () => []);
  file.flush();
  appendFileSync(path, '{"tenon":1,"id":"cut o');
  const buffer = new RecordBuffer(10, new RecordFile(path));
  buffer.add(record("two"));
  buffer.add(record("three"));
  buffer.flush();
  assert.deepEqual(idsOf(path), ["one", "two", "three"]);
});

test("lines of another shape are skipped, because one would fail the whole list", () => {
  const path = join(temporaryFolder("records"), "requests.jsonl");
  const { logs: _, ...withoutLogs } = record("a");
  const lines = [
    { id: "b", spans: [] },
    withoutLogs,
    { ...record("c"), spans: [null] },
    { ...record("d"), logs: [{}] },
    { ...record("e"), at: 1 },
    record("good"),
  ];
  writeFileSync(path, lines.map((line) => `${JSON.stringify({ tenon: 1, ...line })}\n`).join(""));
  assert.deepEqual(idsOf(path), ["good"]);
});

test("lines that cannot be read, and those of another version, are skipped", () => {
  const path = join(temporaryFolder("records"), "requests.jsonl");
  const file = new RecordFile(path);
  file.append(record("kept"), () => []);
  file.flush();
  appendFileSync(path, '{"tenon":99,"id":"newer","spans":[]}\n{"tenon":1,"id":"cut o\n\nnull\n[]\n');
  assert.deepEqual(idsOf(path), ["kept"]);
});

test("only the user of the process can read the file, and clearing empties it", () => {
  const path = join(temporaryFolder("records"), "requests.jsonl");
  const buffer = new RecordBuffer(10, new RecordFile(path));
  buffer.add(record("one"));
  buffer.flush();
  assert.equal(statSync(path).mode & 0o777, 0o600);
  buffer.clear();
  assert.equal(readFileSync(path, "utf8"), "");
  assert.deepEqual(buffer.list(), []);
});

test("a folder that cannot be written keeps the records in memory", () => {
  const folder = temporaryFolder("records");
  writeFileSync(join(folder, "file"), "");
  const buffer = new RecordBuffer(10, new RecordFile(join(folder, "file", "requests.jsonl")));
  buffer.add(record("one"));
  buffer.flush();
  buffer.add(record("two"));
  buffer.flush();
  assert.deepEqual(
    buffer.list().map(({ id }) => id),
    ["two", "one"],
  );
});

test("a process continues the records of one that has ended, and not those of one that runs or began elsewhere", () => {
  const folder = temporaryFolder("records");
  const entry = basename(process.argv[1] ?? "");
  const ended = spawnSync(process.execPath, ["--version"]).pid;
  const running = [`requests.${entry}.${process.ppid}.jsonl`, `requests.other.ts.${ended}.jsonl`];
  for (const name of [...running, `requests.${entry}.${ended}.jsonl`]) writeFileSync(join(folder, name), name);
  const own = claimRecordFile(folder);
  assert.equal(own, join(folder, `requests.${entry}.${process.pid}.jsonl`));
  assert.equal(readFileSync(own, "utf8"), `requests.${entry}.${ended}.jsonl`);
  assert.deepEqual(readdirSync(folder).sort(), [basename(own), ...running].sort());
  assert.equal(claimRecordFile(folder), own);
});
