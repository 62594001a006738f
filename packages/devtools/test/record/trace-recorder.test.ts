import assert from "node:assert/strict";
import { channel, tracingChannel } from "node:diagnostics_channel";
import { test } from "node:test";
import type { LooseError } from "../../src/record/record-buffer.ts";
import type { Recorded } from "../../src/record/recorded.ts";
import { Recording } from "../../src/record/recording.ts";
import { TraceRecorder } from "../../src/record/trace-recorder.ts";

/** Publishes an operation as the packages do. */
function publish(name: string, payload: object, body: () => void = () => {}): void {
  const tracing = tracingChannel(`tenon.${name}`);
  tracing.start.runStores(payload, body);
  tracing.asyncEnd.publish(payload);
}

function withRecorder(
  body: (tools: { recorder: TraceRecorder; jobs: Recorded[]; errors: LooseError[] }) => void,
): void {
  const jobs: Recorded[] = [];
  const errors: LooseError[] = [];
  const recorder = new TraceRecorder({ onRecord: (job) => jobs.push(job), onError: (error) => errors.push(error) });
  recorder.start();
  try {
    body({ recorder, jobs, errors });
  } finally {
    recorder.stop();
  }
}

test("operations are nested, and have what is known at their end", () => {
  withRecorder(({ recorder }) => {
    const recording = new Recording("request");
    const failed = { database: "postgres", sql: "select 1", parameters: [], error: new TypeError("lost") };
    recorder.run(recording, () => {
      publish("hash", { operation: "verify" }, () => publish("sql", failed));
      publish("enqueue", { job: "mails/send", queue: "default", count: 3, id: 7 });
      publish("event", { topic: "posts", event: "added" });
      publish("redis", { command: "GET", keys: 1, error: "refused" });
    });
    const { spans } = recording.finish("GET", "/", {});
    assert.deepEqual(
      spans.map(({ start: _, ms: __, ...span }) => span),
      [
        { kind: "hash", name: "verify a password", depth: 0 },
        { kind: "sql", name: "select 1", depth: 1, database: "postgres", error: "TypeError: lost" },
        { kind: "enqueue", name: "mails/send", depth: 0, job: 7, note: "3 jobs" },
        { kind: "event", name: "added to posts", depth: 0 },
        { kind: "redis", name: "GET", depth: 0, error: "refused" },
      ],
    );
  });
});

test("what happens outside of a request, or in one that is not recorded, is left out", () => {
  withRecorder(({ recorder, jobs }) => {
    const sql = { database: "sqlite", sql: "select 1", parameters: [] };
    const recording = new Recording("request");
    publish("sql", sql);
    recorder.run(recording, () => recorder.run(undefined, () => publish("sql", { ...sql })));
    channel("undici:request:create").publish({ request: { method: "GET", origin: "http://x", path: "/" } });
    channel("undici:request:headers").publish({ request: {} });
    assert.deepEqual(recording.finish("GET", "/", {}).spans, []);
    assert.deepEqual(jobs, []);
  });
});

test("an error has its causes, and a fetch whose body is not read has none", () => {
  withRecorder(({ recorder }) => {
    const recording = new Recording("request");
    const loop = new Error("relation is missing");
    const error = new Error("store failure", { cause: loop });
    loop.cause = error;
    const request = { method: "GET", origin: "http://x", path: "/" };
    recorder.run(recording, () => {
      publish("redis", { command: "GET", keys: 1, error });
      channel("undici:request:create").publish({ request });
      channel("undici:request:headers").publish({ request });
      channel("undici:request:error").publish({ request, error: "Response object has been garbage collected" });
    });
    assert.deepEqual(
      recording.finish("GET", "/", {}).spans.map((span) => span.error),
      ["Error: store failure\n[cause] Error: relation is missing", undefined],
    );
  });
});

test("a request to another server that fails has its error", () => {
  withRecorder(({ recorder }) => {
    const recording = new Recording("request");
    const request = { method: "GET", origin: "http://x", path: "/?token=hidden" };
    recorder.run(recording, () => channel("undici:request:create").publish({ request }));
    channel("undici:request:error").publish({ request, error: new Error("refused") });
    const [span] = recording.finish("GET", "/", {}).spans;
    assert.deepEqual(
      [span?.kind, span?.name, span?.error],
      ["fetch", "GET http://x/?token=[redacted]", "Error: refused"],
    );
  });
});

test("an attempt of a job is a record of its own, with what happens in it", () => {
  withRecorder(({ jobs }) => {
    const payload = { job: "mails/send", id: 7, queue: "default", attempt: 2, carrier: {}, state: "dead" };
    publish("job", payload, () => publish("sql", { database: "sqlite", sql: "select 1", parameters: [] }));
    publish("job", { job: "mails/send", id: 8, queue: "default", attempt: 1, carrier: {} });
    assert.deepEqual(
      jobs.map(({ kind, target, job, spans }) => ({ kind, target, job, spans: spans.length })),
      [
        { kind: "job", target: "mails/send", job: { id: 7, queue: "default", attempt: 2, state: "dead" }, spans: 1 },
        { kind: "job", target: "mails/send", job: { id: 8, queue: "default", attempt: 1, state: "unknown" }, spans: 0 },
      ],
    );
  });
});

test("log lines belong to their request, and errors outside of one are kept apart", () => {
  withRecorder(({ recorder, errors }) => {
    const log = (fields: object) => channel("tenon.log.line").publish({ line: JSON.stringify(fields) });
    const recording = new Recording("request");
    const err = { type: "E", message: "m", stack: "E: m", cause: { type: "F", message: "n", stack: "F: n" } };
    recorder.run(recording, () => {
      publish("hash", { operation: "verify" }, () => log({ level: "info", time: "t", msg: "hello", id: 1 }));
      log({ level: "info", time: "t", event: "csrf refused" });
      channel("tenon.log.line").publish({ line: "no JSON" });
    });
    recorder.run(undefined, () => log({ level: "error", err }));
    log({ level: "info", msg: "no error" });
    log({ level: "error", msg: "failed", err });
    assert.deepEqual(
      recording.finish("GET", "/", {}).logs.map(({ level, message, fields, depth }) => [level, message, fields, depth]),
      [
        ["info", "hello", { id: 1 }, 1],
        ["info", "csrf refused", { event: "csrf refused" }, 0],
      ],
    );
    assert.deepEqual(
      errors.map(({ at: _, ...error }) => error),
      [{ type: "E", message: "m", stack: "E: m\n[cause] F: n", line: "failed" }],
    );
  });
});

test("the number of operations and lines of a request is bounded", () => {
  const recording = new Recording("request");
  for (let number = 0; number < 1005; number++) {
    recording.begin("sql", "select 1", 0);
    recording.addLine({ level: "info", message: "", fields: {} });
  }
  const { spans, droppedSpans, logs } = recording.finish("GET", "/", {});
  assert.deepEqual([spans.length, droppedSpans, logs.length], [1000, 5, 300]);
});
