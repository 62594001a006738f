import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join, posix } from "node:path";
import { before, describe, test } from "node:test";
import type { AxeResults } from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { findChromium, launchChromium, patiently } from "../packages/core/test/support/chromium.ts";
import { questions } from "../site/questions.ts";
import { searchOptions } from "../site/search.ts";
import { root, run } from "./support/run.ts";

const chromium = findChromium();
const isInstalled = existsSync(join(root, "site/node_modules"));
const missing = chromium === undefined ? "chromium cannot be found" : "npm --prefix site ci was not run";
const isDue = (isInstalled && chromium !== undefined) || process.env.REQUIRE_SERVICES === "1";
const dist = join(root, "site/dist");
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** VitePress labels its search button "Search", and shows the keys of its shortcut in it. */
const axeOptions = { resultTypes: ["violations"], rules: { "label-content-name-mismatch": { enabled: false } } };

interface SearchLibrary {
  loadJSON(index: string, options: object): { search(text: string): readonly { readonly id: string }[] };
}

/** The file of a path without its extension. */
const toFile = (path: string) => `${path.endsWith("/") ? `${path}index` : path}.html`.slice(1);

describe("the documentation site", { skip: isDue ? false : missing }, () => {
  const pages = new Map<string, string>();

  before(async () => {
    const { code, stdout, stderr } = await run("npm", ["run", "docs:build"]);
    assert.equal(code, 0, stdout + stderr); // VitePress fails for a link to a page that does not exist
    for (const file of globSync("**/*.html", { cwd: dist })) pages.set(file, readFileSync(join(dist, file), "utf8"));
  });

  test("lists every page, and has a Markdown twin of each and the files for assistants", () => {
    const sources = globSync("**/*.md", { cwd: join(root, "docs") }).map((path) => path.replace(/\.md$/, ""));
    const lists = ["index", "README", "api/index"];
    const sidebar = pages.get("routing.html") ?? "";
    for (const path of sources.filter((source) => !lists.includes(source))) {
      assert.ok(pages.has(`${path}.html`) && existsSync(join(dist, `${path}.md`)), path);
      assert.ok(sidebar.includes(`href="/${path}"`), `${path} is not in the sidebar`);
    }
    for (const name of ["llms.txt", "llms-full.txt"]) assert.ok(existsSync(join(dist, name)), name);
  });

  test("has its icon, and leads from its first page to the comparisons", () => {
    const home = pages.get("index.html") ?? "";
    const [, icon = ""] = /<link rel="icon"[^>]* href="\/([^"]+)"/.exec(home) ?? [];
    assert.ok(icon !== "" && existsSync(join(dist, icon)));
    assert.match(home, /href="\/comparisons\/the-application"/);
  });

  test("has no link to an anchor that does not exist", () => {
    const lost: string[] = [];
    for (const [file, html] of pages) {
      const here = `/${file.replace(/(?:index)?\.html$/, "")}`;
      for (const [, href = ""] of html.matchAll(/<a\b[^>]* href="(?!https?:)([^"]*#[^"]+)"/g)) {
        const [path = "", anchor = ""] = href.split("#");
        const target = pages.get(toFile(path === "" ? here : posix.resolve(posix.dirname(here), path)));
        if (target?.includes(`id="${decodeURIComponent(anchor)}"`) !== true) lost.push(`${file}: ${href}`);
      }
    }
    assert.deepEqual(lost, []);
  });

  test("finds the page that answers a question of a new user among the first two pages", async () => {
    const MiniSearch: SearchLibrary = createRequire(join(root, "site/package.json"))("minisearch"); // that of VitePress
    const [file = ""] = globSync("assets/chunks/@localSearchIndexroot.*.js", { cwd: dist });
    const { default: index } = (await import(join(dist, file))) as { default: string }; // as VitePress writes it
    const options = { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 }, ...searchOptions }; // as it sets them
    const search = MiniSearch.loadJSON(index, { fields: ["title", "titles", "text"], searchOptions: options });
    const tries = questions.flatMap(([, typed, page]) => typed.split("; ").map((words) => ({ words, page })));
    const lost = tries.flatMap(({ words, page }) => {
      const found = search.search(words).map(({ id }) => id.replace(/#.*/s, ""));
      const first = [...new Set(found)].slice(0, 2);
      return first.includes(`/${page}`) ? [] : [`${words}: ${first.join(", ")}`];
    });
    assert.deepEqual(lost, []);
  });

  test("cuts no line of code and breaks no flag, neither on a small screen nor on a phone", async () => {
    assert.ok(chromium !== undefined, missing);
    const browser = await launchChromium(chromium);
    try {
      const page = await openPage(browser, { javaScriptEnabled: false });
      const cut: string[] = [];
      for (const file of [...pages.keys()].filter((path) => !path.startsWith("api/"))) {
        await page.goto(`http://site.test/${file.replace(/(?:index)?\.html$/, "")}`, { waitUntil: "load" });
        for (const width of [1280, 390]) {
          await page.setViewportSize({ width, height: 900 });
          const blocks = page.locator(".vp-doc pre");
          const found = await blocks.evaluateAll(
            (all) => all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length,
          );
          const broken = await page
            .locator(".vp-doc :not(pre) > code", { hasText: /^--[a-z-]+$/ })
            .evaluateAll((all) => all.filter((code) => code.getClientRects().length > 1).length);
          if (found + broken > 0) cut.push(`${file}: ${found} blocks and ${broken} flags at ${width}`);
        }
      }
      assert.deepEqual(cut, []);
    } finally {
      await browser.close();
    }
  });

  test("passes axe on five pages, light and dark, and scrolls sideways on none", async () => {
    assert.ok(chromium !== undefined, missing);
    const browser = await launchChromium(chromium);
    try {
      for (const colorScheme of ["light", "dark"] as const) {
        for (const path of ["/", "/tutorial", "/routing", "/data", "/api/@tenon/core"]) {
          const page = await openPage(browser, { colorScheme, viewport: { width: 1280, height: 900 } });
          await page.goto(`http://site.test${path}`, { waitUntil: "load" });
          if (path === "/") await findInBrowser(page);
          await page.evaluate(axeSource);
          const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(axeOptions)})`);
          const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
          const found = serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
          assert.deepEqual(found, [], `${path} ${colorScheme}`);
          await page.setViewportSize({ width: 390, height: 800 });
          assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 390, path);
          await page.close();
        }
      }
    } finally {
      await browser.close();
    }
  });
});

/** A page whose requests get the files of the site. */
async function openPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const page = patiently(await browser.newPage(options));
  await page.route("**/*", (request) => {
    const { pathname } = new URL(request.request().url());
    return request.fulfill({ path: join(dist, extname(pathname) === "" ? toFile(pathname) : pathname) });
  });
  return page;
}

/** The options of the search are functions, whose source VitePress sends to the browser. */
async function findInBrowser(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Search" }).click();
  await page.locator("#localsearch-input").fill("test a route");
  await page.locator('.results a[href^="/testing"]').first().waitFor();
  await page.keyboard.press("Escape");
}
