import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { Sessions, sessionCookie } from "@tenon/auth";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { findChromium, launchChromium, patiently } from "../../../../packages/core/test/support/chromium.ts";
import { type Blog, withFreshBlog } from "./blog.ts";
import { hold } from "./hold.ts";
import { asPages } from "./pages.ts";
import { storages } from "./storages.ts";
import type { TestUser } from "./users.ts";

const executable = findChromium();
if (executable === undefined) {
  if (process.env.REQUIRE_SERVICES === "1") throw new Error("REQUIRE_SERVICES is set and chromium cannot be found");
  process.stdout.write("left out: the tests that need chromium (not found on this machine)\n");
}

/** Shared by all files: starting it takes longer than most tests. */
const shared: { browser?: Promise<Browser> } = {};
after(async () => (await shared.browser)?.close());

export interface OpenOptions extends BrowserContextOptions {
  /** The user who is logged in. Defaults to none. */
  readonly as?: TestUser;
}

/** Declares tests of the pages on their own service; skipped where there is no browser. */
export function describeInBrowser(title: string, define: (blog: () => Blog) => void): void {
  const [storage] = storages;
  if (executable === undefined || storage === undefined) return;
  describe(title, () => {
    const blog = hold<Blog>((use) => withFreshBlog(storage, use, asPages));
    before(async () => {
      shared.browser ??= launchChromium(executable);
      await Promise.all([blog.open(), shared.browser]);
    });
    after(() => blog.close());
    define(() => blog.value);
  });
}

/** The window of the last test, and its options. */
const open: { window?: { readonly page: Page; readonly key: string } } = {};

/** Opening a window takes as long as loading five pages: one with the same options is cleared and reused. */
async function openPage(options: BrowserContextOptions): Promise<Page> {
  const { viewport, ...others } = options;
  const key = JSON.stringify(others);
  if (open.window?.key !== key) {
    await closePage();
    const browser = await shared.browser;
    assert.ok(browser !== undefined);
    const context = patiently(await browser.newContext(others));
    open.window = { page: await context.newPage(), key };
  }
  const { page } = open.window;
  await page.goto("about:blank");
  await page.context().clearCookies();
  await page.emulateMedia({ colorScheme: null, reducedMotion: "reduce" });
  await page.setViewportSize(viewport ?? { width: 1280, height: 720 });
  return page;
}

async function closePage(): Promise<void> {
  const { window } = open;
  delete open.window;
  await window?.page.context().close();
}

/** A window without the cookies of other tests. Fails when the page reports an error. */
export async function withPage<T>(blog: Blog, body: (page: Page) => Promise<T>, options: OpenOptions = {}): Promise<T> {
  const { as, ...contextOptions } = options;
  const page = await openPage({ baseURL: blog.client.url, ...contextOptions });
  try {
    if (as !== undefined) {
      const value = await blog.app.get(Sessions).create(as.user.id);
      await page.context().addCookies([{ name: sessionCookie, value, url: blog.client.url }]);
    }
    page.setDefaultTimeout(30_000);
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      // the status of the page itself, which its test checks
      const isStatus = message.text().startsWith("Failed to load resource: the server responded with a status of 4");
      if (message.type() === "error" && !isStatus) complaints.push(message.text());
    });
    const result = await body(page);
    assert.deepEqual(complaints, []);
    page.removeAllListeners();
    return result;
  } catch (error) {
    await closePage(); // its state is unknown
    throw error;
  }
}
