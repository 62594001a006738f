import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { LoggedFields, LoggedLine } from "@tenon/core/platform";
import { createLog } from "../../src/log/log.ts";
import { logChannel, logDroppedChannel, logLineChannel } from "../../src/log/log-channels.ts";

test("subscribers of tenon.log add fields to every line, and see no secret", () => {
  const lines: string[] = [];
  const log = createLog({ destination: { write: (line) => lines.push(line) } });
  const seen: unknown[] = [];
  const onFields = (message: unknown) => {
    const { fields } = message as LoggedFields;
    seen.push({ ...fields });
    fields.trace_id = "abc";
  };
  logChannel.subscribe(onFields);
  try {
    log.info("plain");
    log.child({ name: "Child" }).warn({ password: "hunter2", user: 7 }, "with fields");
  } finally {
    logChannel.unsubscribe(onFields);
  }
  log.info("after");
  assert.deepEqual(seen, [{}, { password: "[redacted]", user: 7 }]);
  const traces = lines.map((line) => (JSON.parse(line) as { trace_id?: string }).trace_id);
  assert.deepEqual(traces, ["abc", "abc", undefined]);
});

test("subscribers of tenon.log.line see each line as JSON, also where people get text", () => {
  const written: string[] = [];
  const log = createLog({ pretty: true, destination: { write: (line) => written.push(line) } });
  const lines: string[] = [];
  const onLine = (message: unknown) => void lines.push((message as LoggedLine).line);
  logLineChannel.subscribe(onLine);
  try {
    log.info({ token: "secret", n: 1 }, "hello");
  } finally {
    logLineChannel.unsubscribe(onLine);
  }
  log.info("after");
  assert.equal(lines.length, 1);
  const { msg, n, token } = JSON.parse(lines[0] ?? "") as Record<string, unknown>;
  assert.deepEqual([msg, n, token], ["hello", 1, "[redacted]"]);
  assert.match(written[0] ?? "", /hello/);
});

test("subscribers of tenon.log.dropped count the lines that a destination does not take", async () => {
  let dropped = 0;
  const onDropped = (message: unknown) => {
    dropped += (message as { count: number }).count;
  };
  logDroppedChannel.subscribe(onDropped);
  try {
    const log = createLog({
      destination: {
        write: () => {
          throw new Error("full");
        },
      },
    });
    log.info("one");
    await turn();
    assert.equal(dropped, 1);
  } finally {
    logDroppedChannel.unsubscribe(onDropped);
  }
});
