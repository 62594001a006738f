import assert from "node:assert/strict";
import { test } from "node:test";
import { runFixture } from "../support/run-fixture.ts";

const runs = {
  pipe: runFixture("log-to-stdout.ts"),
  terminal: runFixture("log-to-stdout.ts", ["terminal"]),
  noColor: runFixture("log-to-stdout.ts", ["terminal"], { NO_COLOR: "1" }),
};

test("on a terminal the log is pretty and coloured, elsewhere it is JSON", async () => {
  const { stdout } = await runs.pipe;
  assert.match(stdout, /^\{"level":"info","time":"[^"]+","name":"app","answer":42,"msg":"hello"\}\n$/);
  assert.match(
    (await runs.terminal).stdout,
    /^\u001b\[90m[\d:.]{12}\u001b\[39m \u001b\[32mINFO \u001b\[39m \u001b\[36mapp\u001b\[39m hello \u001b\[90manswer=42\u001b\[39m\n$/,
  );
});

test("NO_COLOR takes the colours away", async () => {
  assert.match((await runs.noColor).stdout, /^[\d:.]{12} INFO {2}app hello answer=42\n$/);
});
