import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { builtTool as tool } from "../support/built-tool.ts";

test("tenon dev serves, restarts after a change, and stops", { timeout: 240_000 }, async (t) => {
  await tool.print(tool.folder, "new", "developed", "--no-install");
  const folder = join(tool.folder, "developed");
  const [command, binary] = await tool.command();
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, LOG_LEVEL: ___, ...env } = process.env;
  const child = spawn(command, [binary, "dev", "--port=0"], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close");
  t.after(() => child.kill());
  const banner: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    banner.push(line);
    if (line.startsWith("  try ")) break;
  }
  const text = banner.join("\n");
  assert.match(text, /^\n {2}developed 0\.1\.0\n/);
  assert.match(
    text,
    /\n {2}docs {6}http:\/\/127\.0\.0\.1:\d+\/docs\n {2}devtools {2}http:\/\/127\.0\.0\.1:\d+\/_dev\?dev_secret=\S{43}\n {2}routes {4}\d+\n/,
  );
  const [, link = ""] = /devtools {2}(\S+)/.exec(text) ?? [];
  const opened = await fetch(link, { redirect: "manual" });
  const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
  const devtools = new URL(opened.headers.get("location") ?? "", link).href;
  assert.equal(devtools, link.replace(/\?.*/, ""));
  assert.equal((await fetch(devtools, { headers: { cookie } })).status, 200);
  assert.equal((await fetch(devtools)).status, 404);
  assert.match(text, /\n {2}stores {4}sqlite data\/app\.db \(database, key-value\)\n {12}memory \(cache\)\n/);
  const [, example = ""] = /\n {2}try {7}curl (\S+)$/.exec(text) ?? [];
  assert.equal((await fetch(example)).status, 200, example);

  const file = join(folder, "src/greetings/greetings.controller.ts");
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    errors += chunk;
  });
  const prints = async (pattern: RegExp) => {
    while (!pattern.test(errors)) await once(child.stderr, "data");
  };
  const source = readFileSync(file, "utf8");
  writeFileSync(file, `${source}\n// changed\n`);
  await prints(/^restarted, \d+\.\d s: src\/greetings\/greetings\.controller\.ts changed$/m);
  writeFileSync(file, `${source}\nthrow new Error("connect ECONNREFUSED ::1:5432");\n`);
  await prints(/> \d+ \| throw new Error.*\n.*\^\n[\s\S]*hint: Nothing listens at ::1:5432: start/);
  child.kill("SIGINT");
  assert.deepEqual(await ended, [130, null]);
});
