import assert from "node:assert/strict";
import { test } from "node:test";
import { api, createApp, defineModule, dto, route } from "@tenon/core";
import { LogLines } from "../../core/test/support/log-lines.ts";
import { setVariables } from "../../core/test/support/variables.ts";

test("a route that no routes() returns is a warning at start", async (t) => {
  setVariables(t, { TENON_DEV: "1" });
  class Listed {
    readonly index = route.get("/", () => "index");
    readonly show = route.get("/show", { query: dto({}) }, () => "show");
    readonly nested = route.get("/nested", { query: dto({}) }, () => "nested");
    readonly clean = route.command("clean", () => "cleaned");
    routes() {
      return [this.index, { path: "/group", children: [this.nested] }];
    }
  }
  const log = new LogLines();
  const module = defineModule({ name: "app", declarations: [Listed] });
  const app = await createApp(module, api(), { log: log.options, devtools: { file: false }, onStartError: "throw" });
  await app.stop();
  assert.deepEqual(log.messages("warn"), [
    'show of Listed (module "app") is a route that no routes() returns: nothing serves it.',
  ]);
});
