import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { api, type Routes } from "@tenon/core";
import { secureHeaders, staticFiles } from "@tenon/core/middleware";
import { createTestApp } from "@tenon/core/testing";
import { findChromium, launchChromium, patiently } from "../support/chromium.ts";
import { moduleOf } from "../support/transports.ts";

const executable = findChromium();
if (executable === undefined && process.env.REQUIRE_SERVICES === "1") {
  throw new Error("REQUIRE_SERVICES is set and chromium cannot be found");
}
const skip = executable === undefined ? "chromium was not found on this machine" : false;

const files = {
  "index.html": `<!doctype html><title>Shop</title><link rel="stylesheet" href="page.css"><p id="out"></p>
    <script>window.injected = true</script><img src="nowhere" onerror="window.injected = true"><script src="page.js"></script>`,
  "page.css": "#out { color: rgb(1, 2, 3) }",
  "page.js": `new Worker("worker.js").onmessage = ({ data }) => { document.getElementById("out").textContent = data; };`,
  "worker.js": `fetch("data.json").then((response) => response.json()).then(({ text }) => postMessage(text));`,
  "data.json": '{ "text": "ready" }',
};

test("a page of staticFiles() runs its own scripts under secureHeaders(), and no inline ones", { skip }, async () => {
  assert.ok(executable !== undefined);
  const folder = await mkdtemp(join(tmpdir(), "tenon-static-pages-"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const routes: Routes = [{ method: "GET", path: "/*", handler: staticFiles(folder, { index: "index.html" }) }];
  const app = await createTestApp(moduleOf(routes), api({ middlewares: [secureHeaders()] }));
  const browser = await launchChromium(executable);
  try {
    const { url } = await app.listen({ port: 0, signals: false });
    const page = patiently(await browser.newPage({ baseURL: url }));
    for (const expected of [200, 304]) {
      const statuses: number[] = [];
      page.removeAllListeners("response");
      // a page from the browser's copy has the status of the copy, but no body went over the wire
      page.on("response", (response) => statuses.push(response.status()));
      await page.goto("/");
      await page.waitForSelector('#out:text("ready")');
      assert.equal(await page.evaluate("getComputedStyle(document.getElementById('out')).color"), "rgb(1, 2, 3)");
      assert.equal(await page.evaluate("window.injected"), undefined);
      assert.ok(statuses.includes(expected), `${statuses}`);
    }
  } finally {
    await browser.close();
    await app.stop();
    await rm(folder, { recursive: true });
  }
});
