import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "../../../test/support/run.ts";

const script = `import { api, createApp, defineModule } from "@tenon/core";
const app = await createApp(defineModule({ name: "app" }), api(), { log: { level: "silent" }, devtools: { file: false } });
const { url } = await app.listen({ port: 0 });
const statusOf = async (headers) => (await fetch(url, { headers })).status;
console.log(await statusOf({}), await statusOf({ "x-tenon-dev": process.env.TENON_DEV_SECRET ?? "" }));
await app.stop();
`;

test("only a process that was started for development has an overview", async () => {
  const args = ["--conditions=@tenon/source", "--input-type=module", "--eval", script];
  const secret = { TENON_DEV_SECRET: "0".repeat(43) };
  for (const [env, statuses] of [
    [{ TENON_DEV: "start", ...secret }, "404 200\n"],
    [{ TENON_DEV: "restart", ...secret }, "404 200\n"],
    [{ TENON_DEV: "1" }, "404 200\n"],
    [{ ...secret }, "404 404\n"],
    [{ TENON_DEV: "start", ...secret, NODE_ENV: "production" }, "404 404\n"],
  ] as const) {
    const { stdout, stderr } = await run(process.execPath, args, { cwd: join(import.meta.dirname, ".."), env });
    assert.deepEqual([stdout, stderr], [statuses, ""], JSON.stringify(env));
  }
});
