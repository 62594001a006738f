import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { root } from "../../../../test/support/run.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { findChromium, launchChromium, patiently } from "../../../core/test/support/chromium.ts";
import { runTool } from "../support/tool.ts";

const chromium = findChromium();
const options = { timeout: 240_000, skip: chromium === undefined ? "there is no Chromium" : false };

test("tenon dev reloads an open page of the web template, whose form still works", options, async (t) => {
  const parent = temporaryFolder("reload");
  const folder = join(parent, "shop");
  mkdirSync(parent, { recursive: true });
  assert.equal((await runTool(parent, "app", "--name=shop", "--template=web")).code, 0);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));

  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const main = join(root, "packages/tool/src/main.ts");
  const port = 20_000 + ((process.pid + 4_500) % 9_000);
  const child = spawn(process.execPath, ["--conditions=@tenon/source", main, "dev", `--port=${port}`], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  t.after(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  let link: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    [link] = /http:\S+dev_secret=\S+/.exec(line) ?? [];
    if (link !== undefined) break;
  }
  child.stdout.resume();

  const browser = await launchChromium(chromium ?? "");
  t.after(() => browser.close());
  const page = patiently(await browser.newPage());
  const violations: string[] = [];
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) violations.push(message.text());
  });
  await page.goto(link ?? ""); // signs the browser in: only the developer's pages reload
  await page.goto(`http://127.0.0.1:${port}/`);
  const view = join(folder, "views/greetings/index.eta");
  const text = readFileSync(view, "utf8");
  const token = await page.inputValue("input[name=_csrf]");
  writeFileSync(view, `${text}<p id="added">added</p>\n`);
  await page.waitForSelector("#added");
  writeFileSync(view, "<%= missing.name %>");
  await page.waitForSelector("h1:has-text('missing is not defined')");
  writeFileSync(view, text);
  await page.waitForSelector("form");
  const module = join(folder, "src/app.module.ts");
  const source = readFileSync(module, "utf8");
  writeFileSync(module, `${source}const = 1;\n`);
  await page.waitForSelector("h1:has-text('The application did not start')");
  await page.waitForSelector("pre:has-text('src/app.module.ts:')");
  writeFileSync(module, source);
  await page.waitForSelector("form");
  // the token that was made before the restarts
  await page.locator("input[name=_csrf]").evaluate((field: { value: string }, value) => {
    field.value = value;
  }, token);
  await page.fill("input:not([type=hidden])", "Ada");
  await page.click("form button");
  await page.waitForSelector("[role=status]");
  assert.deepEqual(violations, []);
});
