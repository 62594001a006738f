import assert from "node:assert/strict";
import { test } from "node:test";
import { StartError } from "@tenon/core";
import { readDeveloperSecret, readEnvironment } from "../../src/config/environment.ts";

const nothing = {
  logLevel: undefined,
  production: false,
  color: undefined,
  engine: undefined,
  workers: undefined,
  worker: undefined,
  describe: false,
  test: false,
  dev: undefined,
  editor: undefined,
  otel: {},
};

test("an empty environment leaves every choice to the application", () => {
  assert.deepEqual(readEnvironment({}), nothing);
  const empty = {
    LOG_LEVEL: "",
    NODE_ENV: "",
    NO_COLOR: "",
    HTTP_ENGINE: "",
    WORKERS: "",
    TENON_WORKER: "",
    TENON_DESCRIBE: "",
  };
  assert.deepEqual(readEnvironment(empty), nothing);
});

test("LOG_LEVEL, NODE_ENV and NO_COLOR are read", () => {
  const env = { LOG_LEVEL: "trace", NODE_ENV: "production", NO_COLOR: "1" };
  assert.deepEqual(readEnvironment(env), { ...nothing, logLevel: "trace", production: true, color: false });
});

test("the variables of OpenTelemetry are read as they are, without empty ones", () => {
  const env = { OTEL_SERVICE_NAME: "blog", OTEL_TRACES_SAMPLER: "", OTHER: "x" };
  assert.deepEqual(readEnvironment(env), { ...nothing, otel: { OTEL_SERVICE_NAME: "blog" } });
});

test("FORCE_COLOR takes precedence over NO_COLOR, and its 0 and false mean no colours", () => {
  for (const [env, color] of [
    [{ NO_COLOR: "1" }, false],
    [{ FORCE_COLOR: "1" }, true],
    [{ FORCE_COLOR: "3", NO_COLOR: "1" }, true],
    [{ FORCE_COLOR: "0" }, false],
    [{ FORCE_COLOR: "false" }, false],
    [{ FORCE_COLOR: "", NO_COLOR: "" }, undefined],
  ] as const) {
    assert.equal(readEnvironment(env).color, color, JSON.stringify(env));
  }
});

test("HTTP_ENGINE, WORKERS, TENON_WORKER and TENON_DESCRIBE are read", () => {
  const env = { HTTP_ENGINE: "node", WORKERS: "4", TENON_WORKER: "2", TENON_DESCRIBE: "1" };
  assert.deepEqual(readEnvironment(env), { ...nothing, engine: "node", workers: 4, worker: 2, describe: true });
  assert.equal(readEnvironment({ WORKERS: "all" }).workers, "all");
  assert.equal(readEnvironment({ WORKERS: "256" }).workers, 256);
  for (const [name, value, message] of [
    ["HTTP_ENGINE", "fast", 'HTTP_ENGINE is "fast". Use one of: wire, node.'],
    ["WORKERS", "0", 'WORKERS is "0". It takes a whole number from 1 to 256, or all.'],
    ["WORKERS", "1.5", 'WORKERS is "1.5". It takes a whole number from 1 to 256, or all.'],
    ["WORKERS", "257", 'WORKERS is "257". It takes a whole number from 1 to 256, or all.'],
    ["WORKERS", "many", 'WORKERS is "many". It takes a whole number from 1 to 256, or all.'],
  ] as const) {
    assert.throws(() => readEnvironment({ [name]: value }), { message }, value);
  }
});

test("the variables of tenon dev are read, in production only the editor", () => {
  assert.deepEqual(readEnvironment({ TENON_DEV: "start", TENON_EDITOR: "zed" }), {
    ...nothing,
    dev: "start",
    editor: "zed",
  });
  assert.equal(readEnvironment({ TENON_DEV: "restart" }).dev, "restart");
  assert.equal(readEnvironment({ TENON_DEV: "1" }).dev, "start");
  assert.equal(readEnvironment({ TENON_DEV: "start", NODE_ENV: "production" }).dev, undefined);
  assert.equal(readEnvironment({ NODE_TEST_CONTEXT: "child-v8" }).test, true);
});

test("the secret of the developer exists in development only, and once for a process", () => {
  const given = "0".repeat(32);
  assert.equal(readDeveloperSecret({ dev: undefined }, { TENON_DEV_SECRET: given }), undefined);
  assert.equal(readDeveloperSecret({ dev: "start" }, { TENON_DEV_SECRET: given }), given);
  const env: NodeJS.Dict<string> = {};
  const created = readDeveloperSecret({ dev: "start" }, env);
  assert.match(created ?? "", /^[\w-]{43}$/);
  assert.equal(readDeveloperSecret({ dev: "start" }, env), created);
  assert.notEqual(readDeveloperSecret({ dev: "start" }, {}), created);
  assert.doesNotThrow(() => readEnvironment({ TENON_DEV_SECRET: given }));
  for (const secret of ["1", "0".repeat(31), `${given};`]) {
    assert.throws(() => readEnvironment({ TENON_DEV_SECRET: secret }), /TENON_DEV_SECRET takes at least 32/);
  }
});

test("a level is written exactly as the list says", () => {
  for (const level of ["INFO", " info", "20", "constructor", "__proto__"]) {
    assert.throws(() => readEnvironment({ LOG_LEVEL: level }), StartError, level);
  }
});
