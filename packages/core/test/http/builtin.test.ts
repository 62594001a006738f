import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

const script = `
  import { api, createApp, defineModule } from "@tenon/core";
  const app = await createApp(defineModule({ name: "app" }), api(), { log: { level: "silent" } });
  await app.listen({ port: 0, signals: false });
  const loaded = process.moduleLoadList.map((name) => name.split(" ")[1]);
  await app.stop();
  process.stdout.write(JSON.stringify(loaded));
`;

test("a plain HTTP server loads neither https nor fetch", () => {
  const args = ["--conditions=@tenon/source", "--input-type=module", "--eval", script];
  const loaded: unknown = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", timeout: 240_000 }));
  assert.ok(Array.isArray(loaded) && loaded.includes("http"), "the loaded modules are known");
  assert.deepEqual(
    loaded.filter((name) => /^(?:https|tls|internal\/deps\/undici\/undici)$/.test(String(name))),
    [],
  );
});
