import assert from "node:assert/strict";
import { test } from "node:test";
import { runFile, startServer } from "./support/processes.ts";

const env = { DATABASE_URL: "sqlite::memory:", BCRYPT_COST: "10" };

test("--port and --host take precedence over PORT and HOST", async () => {
  const args = ["--port=0", "--host", "127.0.0.1"];
  const server = await startServer("src/main.api.ts", { ...env, PORT: "http", HOST: "192.0.2.1" }, { args });
  try {
    assert.equal((await server.client.get("/posts")).status, 200);
  } finally {
    await server.stop();
  }
});

test("--help shows the flags, and an unknown flag, a word or an empty value is refused with them", async () => {
  const [help, unknown, word, empty] = await Promise.all(
    [["--help"], ["--prot=1"], ["3000"], ["--port="]].map((args) => runFile("src/main.api.ts", env, { args })),
  );
  assert.equal(help?.code, 0);
  assert.match(help?.stdout ?? "", /^Flags:\n {2}--port=<number> /);
  for (const [run, message] of [
    [unknown, "Unknown option '--prot'."],
    [word, "Unexpected argument '3000'."],
    [empty, "Option '--port' needs a value."],
  ] as const) {
    assert.deepEqual([run?.code, run?.stdout], [2, ""]);
    assert.equal(run?.stderr, `Cannot start: ${message}\n\n${help?.stdout}`);
  }
});

test("a bad value of a flag is reported like that of its variable", async () => {
  const { code, stderr } = await runFile("src/main.web.ts", env, { args: ["--port=http"] });
  assert.equal(code, 1);
  assert.match(stderr, /^Cannot start: PORT is "http"\. It must be a whole number\. See .*#bad_environment\n$/);
});
