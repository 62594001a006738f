import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { root } from "../../../test/support/run.ts";
import { developerSecret, fromDeveloper } from "../../devtools/test/support/developer.ts";
import { temporaryViews } from "./support/views.ts";

const main = (views: string) => `import { createApp, defineModule } from "@tenon/core";
import { view, web } from "@tenon/web";
const refuse = () => { throw new Error("a middleware refuses everything"); };
class Pages {
  routes() {
    return [
      { method: "GET", path: "/", handler: () => view("page", {}) },
      { method: "POST", path: "/", handler: () => view("page", {}) },
      { method: "GET", path: "/part", handler: () => view("part", {}) },
      { method: "GET", path: "/fail", handler: refuse },
    ];
  }
}
const platform = web({ views: ${JSON.stringify(views)}, middlewares: process.env.REFUSE ? [refuse] : [] });
const app = await createApp(defineModule({ name: "app", declarations: [Pages] }), platform, { devtools: { file: false } });
const { url } = await app.listen({ port: 0 });
console.log("at " + url);
`;
const views = temporaryViews({ "page.eta": "<!doctype html><body>page</body>", "part.eta": "<li>part</li>" });

/** Serves the pages in a process with these variables until the work is done. Returns its output. */
async function serve(env: Readonly<Record<string, string>>, work: (url: string) => Promise<void>): Promise<void> {
  const { NODE_TEST_CONTEXT: _, NODE_ENV: __, ...inherited } = process.env;
  const args = ["--conditions=@tenon/source", "--input-type=module", "--eval", main(views)];
  const child = spawn(process.execPath, args, {
    cwd: join(root, "packages/web"),
    env: { ...inherited, LOG_LEVEL: "silent", TENON_DEV_SECRET: developerSecret, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith("at ")) continue;
      await work(line.slice(3));
      return;
    }
    assert.fail("it did not listen");
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
}

const html = async (url: string, init: RequestInit = {}) =>
  (await fetch(url, { ...init, headers: { accept: "text/html", ...fromDeveloper } })).text();
const load = (url: string) => fetch(url, { headers: fromDeveloper });

test("tenon dev adds a script to pages, which hears of another process", { timeout: 240_000 }, async () => {
  const script = /<script async src="(\/@tenon\/reload\.js\?v=\w+)" data-start="([\w-]+)"><\/script>\n<\/body>/;
  const ids: string[] = [];
  const paths: string[] = [];
  for (const dev of ["start", "restart"]) {
    await serve({ TENON_DEV: dev }, async (url) => {
      const [, path = "", id = ""] = script.exec(await html(url)) ?? [];
      ids.push(id);
      paths.push(path);
      const loaded = await load(`${url}${path}`);
      assert.deepEqual(
        [loaded.status, loaded.headers.get("content-type"), loaded.headers.get("cache-control")],
        [200, "text/javascript; charset=utf-8", "private, max-age=31536000, immutable"],
      );
      assert.match(await loaded.text(), /new EventSource\("\/@tenon\/events"\)/);
      const events = await load(`${url}/@tenon/events`);
      assert.equal(events.headers.get("content-type"), "text/event-stream");
      const reader = events.body?.getReader();
      assert.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), `event: start\ndata: ${id}\n\n`);
      // the stream is left open: the stop of the process must not wait for it
    });
  }
  assert.equal(new Set(ids).size, 2);
  // from the cache of the browser: a page that was loaded when its process stopped still hears of the next one
  assert.equal(new Set(paths).size, 1);
});

test("parts of pages and responses to forms get no script, the developer page gets one", {
  timeout: 240_000,
}, async () => {
  await serve({ TENON_DEV: "start" }, async (url) => {
    assert.equal(await html(`${url}/part`), "<li>part</li>");
    assert.doesNotMatch(await html(url, { method: "POST" }), /@tenon/);
    assert.match(await html(`${url}/fail`), /<script async src="\/@tenon\/reload\.js/);
    assert.equal((await load(`${url}/@tenon/other`)).status, 404);
  });
});

test("no middleware sees the requests of the script", { timeout: 240_000 }, async () => {
  await serve({ TENON_DEV: "start", REFUSE: "1" }, async (url) => {
    assert.equal((await fetch(url)).status, 500);
    assert.equal((await load(`${url}/@tenon/reload.js`)).status, 200);
  });
});

test("without the secret there is no script, and no events", { timeout: 240_000 }, async () => {
  await serve({ TENON_DEV: "start" }, async (url) => {
    for (const headers of [{}, { "x-tenon-dev": "other" }]) {
      const page = await fetch(url, { headers: { accept: "text/html", ...headers } });
      assert.equal(await page.text(), "<!doctype html><body>page</body>");
      assert.doesNotMatch(await (await fetch(`${url}/fail`, { headers })).text(), /@tenon|refuses everything/);
      for (const path of ["reload.js", "events"]) {
        assert.equal((await fetch(`${url}/@tenon/${path}`, { headers })).status, 404);
      }
    }
    assert.equal((await load(url)).headers.get("cache-control"), "no-store");
  });
});

test("without tenon dev, and in production, there is no script", { timeout: 240_000 }, async () => {
  for (const env of [{}, { TENON_DEV: "start", NODE_ENV: "production" }]) {
    await serve(env, async (url) => {
      assert.equal(await html(url), "<!doctype html><body>page</body>");
      assert.equal((await load(`${url}/@tenon/reload.js`)).status, 404);
    });
  }
});
