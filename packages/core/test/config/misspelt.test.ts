import assert from "node:assert/strict";
import { test } from "node:test";
import { api, createApp, defineConfig, defineModule, integer, string } from "@tenon/core";
import { LogLines } from "../support/log-lines.ts";
import { setVariables } from "../support/variables.ts";

class Config extends defineConfig({
  DATABASE_URL: string("default=sqlite:data/app.db"),
  HOST: string("default=127.0.0.1"),
  PORT: integer("default=8080"),
}) {}

const AppModule = defineModule({ name: "app", declarations: [Config] });

for (const production of [false, true]) {
  test(`a misspelt variable is named once at the start${production ? ", in production too" : ""}`, async (t) => {
    setVariables(t, {
      ...(production ? { NODE_ENV: "production" } : {}),
      DATABASE_URL: undefined,
      DATABASE_ULR: "postgres://127.0.0.1/shop",
      HOST: undefined,
      HOME: "/home/ada",
      PORT: "8081",
      PROT: "8082",
    });
    const lines = new LogLines();
    const app = await createApp(AppModule, api(), { log: lines.options, onStartError: "throw" });
    await app.start();
    await app.stop();
    assert.deepEqual(lines.messages("warn"), [
      "DATABASE_ULR is set, and no configuration reads it. Is it a misspelt DATABASE_URL, which is not set?",
    ]);
  });
}

test("the problem of a missing variable names one that is set and close to it", () => {
  class Needed extends defineConfig({ JWT_SECRET: string("required"), PORT: integer("required") }) {}
  assert.throws(() => new Needed({ env: { JWT_SERCET: "x", PATH: "/bin" } }), {
    name: "StartError",
    message: /JWT_SECRET is not set\. JWT_SERCET is set: is that name misspelt\?\n.*PORT is not set\.$/,
  });
});
