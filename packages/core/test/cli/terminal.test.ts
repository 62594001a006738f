import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { Sink } from "../../src/cli/terminal.ts";
import { MemoryStream } from "../support/terminal.ts";

function failing(code: string): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });
}

test("a write ends when the stream has taken it", async () => {
  const stream = new MemoryStream();
  const sink = new Sink(stream);
  assert.equal(await sink.write("a"), true);
  assert.equal(await sink.write(new TextEncoder().encode("é")), true);
  assert.equal(stream.text, "aé");
});

test("a reader that has closed the pipe is not an error", async () => {
  const sink = new Sink(failing("EPIPE"));
  assert.equal(await sink.write("a"), false);
  sink.release();
});

test("any other error rejects, and the event that follows it crashes nothing", async () => {
  const stream = failing("ENOSPC");
  const sink = new Sink(stream);
  await assert.rejects(sink.write("a"), { code: "ENOSPC" });
  sink.release();
  assert.equal(stream.listenerCount("error"), 1);
});

test("a stream without errors is released without listeners", async () => {
  const stream = new MemoryStream();
  const sink = new Sink(stream);
  await sink.write("a");
  sink.release();
  assert.equal(stream.listenerCount("error"), 0);
});
