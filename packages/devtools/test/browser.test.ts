import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, test } from "node:test";
import { api } from "@tenon/core";
import type { AxeResults, RunOptions } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { findChromium, launchChromium, patiently } from "../../core/test/support/chromium.ts";
import { readManifest } from "../src/banner.ts";
import { developerSecret } from "./support/developer.ts";
import { ask, startShop } from "./support/shop.ts";

const executable = findChromium();
if (executable === undefined) {
  if (process.env.REQUIRE_SERVICES === "1") throw new Error("REQUIRE_SERVICES is set and chromium cannot be found");
  process.stdout.write("left out: the tests that need chromium (not found on this machine)\n");
}
const skip = executable === undefined;
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let browser: Browser | undefined;
after(() => browser?.close());

/** A page that fails the test when it reports an error or asks another host. */
async function withPage(baseURL: string, body: (page: Page) => Promise<void>, expected?: RegExp): Promise<void> {
  browser ??= await launchChromium(executable ?? "");
  const context = patiently(await browser.newContext({ baseURL, viewport: { width: 1280, height: 900 } }));
  const page = await context.newPage();
  await page.goto(`/_dev/requests?dev_secret=${developerSecret}`);
  assert.equal(page.url(), `${baseURL}/_dev/requests`);
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(baseURL) && !request.url().startsWith("data:")) complaints.push(request.url());
  });
  try {
    await body(page);
  } finally {
    await context.close(); // before the server stops, to which the list would connect again
  }
  assert.deepEqual(
    complaints.filter((text) => expected?.test(text) !== true),
    [],
  );
}

async function violations(page: Page, options: RunOptions = {}): Promise<string[]> {
  await page.evaluate(axeSource);
  const { violations: found } = await page.evaluate(async (given) => {
    const { axe } = globalThis as unknown as { axe: { run(options: unknown): Promise<AxeResults> } };
    return axe.run({ resultTypes: ["violations"], ...given });
  }, options);
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}

test("a slow query is found: in the live list, in the waterfall, in its plan", { skip }, async (t) => {
  const { port, url } = await startShop(t, { slowQuery: 5 });
  await withPage(url, async (page) => {
    await page.goto("/_dev/requests");
    await page.getByText("No request so far").waitFor();
    await ask(port, "/slow"); // the page is not reloaded
    const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: "/slow" }) });
    await row.getByText("1 slow").waitFor();
    await row.getByRole("link").click();
    await page.getByRole("heading", { level: 1, name: "GET /slow" }).waitFor();
    const operation = page.getByRole("row").filter({ hasText: "with recursive numbers" });
    assert.equal(await operation.getByText("slow", { exact: true }).count(), 1);
    await operation.getByRole("link", { name: "Explain this statement" }).click();
    await page.getByRole("heading", { level: 1, name: "Plan of a statement" }).waitFor();
    assert.match(await page.locator("pre").last().innerText(), /RECURSIVE|SCAN/);
  });
});

test("the list is filtered and sorted by keyboard, and carries the name of the application", { skip }, async (t) => {
  const { port, url } = await startShop(t, { platform: api({ middlewares: [], docs: true }) });
  await withPage(url, async (page) => {
    for (const path of ["/items", "/broken", "/openapi.json"]) await ask(port, path);
    await page.goto("/_dev/requests");
    const { name } = readManifest();
    assert.equal(await page.title(), `Requests · ${name} devtools`);
    assert.equal(await page.locator(".brand").innerText(), `${name} devtools`);
    const targets = () => page.locator("td.target").allInnerTexts();
    await page.getByRole("link", { name: "/broken" }).waitFor();
    await page.getByLabel("Mark").selectOption("error");
    await page.getByRole("button", { name: "Filter" }).press("Enter");
    await page.getByRole("link", { name: "Show all" }).waitFor();
    assert.deepEqual(await targets(), ["/broken"]);
    await page.getByRole("link", { name: "Show all" }).press("Enter");
    await page.getByRole("link", { name: "/items" }).waitFor();
    await page.getByLabel("With the framework’s own").press("Space");
    await page.getByLabel("Words").press("Enter");
    await page.getByRole("link", { name: "/openapi.json" }).waitFor();
    await page.getByRole("link", { name: "Target" }).press("Enter");
    await page.locator("th[aria-sort=ascending]").waitFor();
    assert.deepEqual(await targets(), ["/broken", "/items", "/openapi.json"]);
  });
});

test("a request is replayed, and one with credentials asks for new ones", { skip }, async (t) => {
  const { port, url } = await startShop(t);
  await withPage(url, async (page) => {
    await ask(port, "/notes", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"text":"from the browser test"}',
    });
    await page.goto("/_dev/requests");
    await page.getByRole("link", { name: "/notes" }).click();
    await page.getByRole("button", { name: "Replay" }).click();
    await page.getByText("Replay of").waitFor();
    assert.equal(await page.locator(".facts .status").innerText(), "201");

    await ask(port, "/private", { headers: { authorization: "Bearer letmein" } });
    await page.goto("/_dev/requests");
    await page.getByRole("link", { name: "/private" }).click();
    assert.equal(await page.getByRole("button", { name: "Replay" }).count(), 0);
    await page.getByRole("link", { name: "Edit and resend" }).click();
    await page.getByLabel("authorization").fill("Bearer letmein");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Replay of").waitFor();
    assert.equal(await page.locator(".facts .status").innerText(), "200");
  });
});

test("a job is followed from the request to its attempt, and back", { skip }, async (t) => {
  const { port, url } = await startShop(t);
  await withPage(url, async (page) => {
    await page.goto("/_dev/requests");
    await ask(port, "/mails", { method: "POST" });
    await page.getByRole("link", { name: "mails/send" }).waitFor();
    await page.getByRole("link", { name: "/mails", exact: true }).click();
    const jobs = page.getByRole("region", { name: "Attempts of its jobs" });
    await jobs.getByRole("link", { name: "mails/send" }).click();
    await page.getByRole("heading", { level: 1, name: "JOB mails/send" }).waitFor();
    assert.equal(await page.locator(".facts .status").innerText(), "done");
    const attempt = page.url();
    await page.getByRole("link", { name: "1", exact: true }).click();
    await page.getByRole("heading", { level: 2, name: "Job 1: mails/send" }).waitFor();
    const attempts = page.getByRole("region", { name: "Attempts of this job" });
    await attempts.getByRole("link", { name: "mails/send" }).click();
    await page.waitForURL(attempt);
    await page.getByRole("link", { name: "POST /mails" }).click();
    await page.getByRole("heading", { level: 1, name: "POST /mails" }).waitFor();
  });
});

test("a request is opened by keyboard, and its command is copied", { skip }, async (t) => {
  const { port, url } = await startShop(t);
  await withPage(url, async (page) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await ask(port, "/items");
    await page.goto("/_dev/requests");
    const focused = () => page.evaluate("document.activeElement.textContent.trim()");
    for (let presses = 0; presses < 40 && (await focused()) !== "/items"; presses++) await page.keyboard.press("Tab");
    assert.equal(await focused(), "/items");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "GET /items" }).waitFor();
    await page.getByText("The same statement ran 4 times").waitFor();
    await page.getByRole("button", { name: "Copy as curl" }).press("Enter");
    await page.getByRole("button", { name: "Copied" }).waitFor();
    assert.match(
      String(await page.evaluate("navigator.clipboard.readText()")),
      /^curl 'http:\/\/127\.0\.0\.1:\d+\/items'/,
    );
  });
});

test("a document is shown with its styles, runs no script, and its links open in a new tab", { skip }, async (t) => {
  const { url } = await startShop(t);
  await withPage(
    url,
    async (page) => {
      await page.goto(`/_dev/panels/letters?script=1&to=${url}/items`);
      const frame = page.frameLocator("iframe");
      const ground = await frame.locator("body").evaluate("getComputedStyle(document.body).backgroundColor");
      assert.equal(ground, "rgb(1, 2, 3)");
      assert.equal(await frame.locator("body").evaluate("document.title"), "Letter");
      const [tab] = await Promise.all([
        page.waitForEvent("popup"),
        frame.getByRole("link", { name: "Confirm" }).click(),
      ]);
      await tab.waitForURL(`${url}/items`);
      await tab.getByText("chisel").waitFor();
      const [alone] = await Promise.all([
        page.waitForEvent("popup"),
        page.getByRole("link", { name: "Open it in a tab" }).click(),
      ]);
      await alone.getByRole("link", { name: "Confirm" }).waitFor();
      assert.equal(await alone.title(), "Letter");
    },
    /^Blocked script execution .+ 'allow-scripts' permission is not set/,
  );
});

test("no page has a serious accessibility violation, light or dark, and none scrolls sideways", { skip }, async (t) => {
  const { port, url } = await startShop(t, { slowQuery: 5 });
  await withPage(url, async (page) => {
    for (const path of ["/items", "/slow", "/broken", "/private"]) await ask(port, path);
    await ask(port, "/mails", { method: "POST" });
    await page.goto("/_dev/requests");
    await page.getByRole("link", { name: "mails/send" }).waitFor();
    const link = async (name: string) =>
      String(await page.getByRole("link", { name, exact: true }).first().getAttribute("href"));
    const links = [await link("/items"), await link("/broken"), await link("/mails"), await link("mails/send")];
    const paths = [
      "/_dev/requests",
      ...links,
      `${links[0]}/replay`,
      ...[
        "errors",
        "routes",
        "modules",
        "configuration",
        "panels/stores",
        "panels/jobs",
        "panels/jobs?id=1",
        "panels/channels",
        "panels/letters",
      ].map((name) => `/_dev/${name}`),
      "/_dev/requests?q=nothing-matches",
      "/_dev/requests?mark=slow&sort=duration",
    ];
    for (const path of paths) {
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.emulateMedia({ colorScheme: "light" });
      await page.goto(path);
      assert.deepEqual(await violations(page), [], path);
      assert.equal(await page.getByRole("heading", { level: 1 }).count(), 1, path);
      await page.emulateMedia({ colorScheme: "dark" });
      assert.deepEqual(await violations(page, { runOnly: ["color-contrast"] }), [], `${path}, dark`);
      await page.setViewportSize({ width: 390, height: 844 });
      const wide = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
      assert.equal(wide, 0, `${path} scrolls sideways`);
      // what a row is read for is not beside the screen either
      const hidden = await page.evaluate(
        "[...document.querySelectorAll('.requests :is(time, .status, .number), .waterfall :is(.number, svg)')].filter((part) => part.getBoundingClientRect().right > innerWidth).length",
      );
      assert.equal(hidden, 0, `${path} hides parts of its rows`);
      const cut = await page.evaluate(`(() => {
        const lines = (text) => {
          const range = document.createRange();
          range.selectNode(text);
          return range.getClientRects().length;
        };
        const texts = [...document.querySelectorAll("code:has(wbr)")].flatMap(({ childNodes }) => [...childNodes]);
        return texts.filter((text) => text.nodeName === "#text" && !text.data.includes(" ") && lines(text) > 1).map(({ data }) => data);
      })()`);
      assert.deepEqual(cut, [], `${path} breaks a line inside of a word`);
      const aside =
        "[...document.querySelectorAll('.picture')].filter((part) => part.scrollWidth > part.clientWidth).length";
      assert.equal(await page.evaluate(aside), 0, `${path} has a picture that does not fit`);
    }
  });
});
