import assert from "node:assert/strict";
import { test } from "node:test";
import { api } from "@tenon/core";
import type { DevSection } from "@tenon/core/platform";
import { until } from "../../core/test/support/until.ts";
import { findPanels } from "../src/parts.ts";
import { ask, readJson, startShop } from "./support/shop.ts";

interface Panel {
  readonly panel: { readonly title: string };
  readonly sections: readonly DevSection[];
  readonly message?: { readonly text: string; readonly isError: boolean };
  readonly attempts?: readonly Readonly<Record<"id" | "method" | "target" | "status", unknown>>[];
}

const readPanel = (port: number, path: string) => readJson<Panel>(port, `/_dev/panels/${path}`);

/** Presses the button of a panel whose form has these fields. */
async function press(port: number, panel: string, action: string, fields: Readonly<Record<string, string>>) {
  const path = `/_dev/panels/${panel}/${action}`;
  const { text } = await ask(port, `/_dev/panels/${panel}`);
  const [, token = ""] =
    new RegExp(`action="${path}"><input type="hidden" name="_token" value="([^"]+)"`).exec(text) ?? [];
  const { status, headers } = await ask(port, path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ _token: token, ...fields }).toString(),
  });
  assert.equal(status, 303);
  return readJson<Panel>(port, String(headers.location));
}

test("routes are shown with guards, contract and source", async (t) => {
  const { port } = await startShop(t, { platform: api({ middlewares: [], docs: true }) });
  const readRoutes = (query = "") =>
    readJson<{ readonly routes: readonly Record<string, unknown>[] }>(port, `/_dev/routes${query}`);
  const { routes } = await readRoutes();
  const all = (await readRoutes("?packages=1")).routes;
  const ofFramework = new Set(all.map(({ path }) => path)).difference(new Set(routes.map(({ path }) => path)));
  assert.ok(ofFramework.has("/docs") && ofFramework.has("/openapi.json"));
  const notes = routes.find(({ path }) => path === "/notes");
  assert.deepEqual(notes?.contract, {
    summary: "Keeps a note",
    accepts: [{ part: "body", fields: ["text", "password"] }],
    statuses: [201],
    security: [],
  });
  assert.match(String(notes?.place), /shop\.ts:\d+$/);
  assert.match(String(notes?.editorUrl), /^vscode:\/\/file\/.+shop\.ts:\d+:1$/);
  const guarded = routes.find(({ path }) => path === "/private");
  assert.deepEqual([guarded?.secured, guarded?.middlewares, guarded?.policies], [true, ["Guard"], ["staff"]]);
  assert.match((await ask(port, "/_dev/routes")).text, /Guard<br><span class="dim">policy staff<\/span>/);
});

test("modules are drawn with their imports, and listed with what they declare and export", async (t) => {
  const { port } = await startShop(t);
  const { text } = await ask(port, "/_dev/modules");
  assert.match(text, /<svg [^>]+role="group"/);
  assert.match(text, /<title>shop imports jobs<\/title>/);
  const { modules, picture } = await readJson<{
    readonly modules: readonly { readonly name: string; readonly declarations: readonly Record<string, unknown>[] }[];
    readonly picture: { readonly boxes: readonly { readonly name: string; readonly y: number }[] };
  }>(port, "/_dev/modules");
  assert.equal(modules[0]?.name, "shop");
  const jobs = modules.find(({ name }) => name === "jobs")?.declarations.find(({ name }) => name === "Jobs");
  assert.equal(jobs?.isExported, true);
  assert.match(String(jobs?.users), /ShopController/);
  const y = (name: string) => picture.boxes.find((box) => box.name === name)?.y ?? Number.NaN;
  assert.ok(y("shop") < y("jobs") && y("jobs") < y("data"));
});

test("the configuration is shown without secrets", async (t) => {
  const { port } = await startShop(t);
  const { configurations, stores } = await readJson<Record<"configurations" | "stores", unknown>>(
    port,
    "/_dev/configuration",
  );
  assert.deepEqual(configurations, [
    {
      name: "Config",
      variables: [
        { name: "shopName", value: "Corner shop" },
        { name: "shopToken", value: "[redacted]" },
      ],
    },
  ]);
  assert.deepEqual(stores, { database: "sqlite :memory:", keyValue: "sqlite :memory:", cache: "memory" });
});

test("stores show their entries without secrets, and delete one", async (t) => {
  const { port } = await startShop(t);
  const body = '{"text":"hello","password":"hunter2"}';
  await ask(port, "/notes", { method: "POST", headers: { "content-type": "application/json" }, body });
  const { sections } = await readPanel(port, "stores");
  const keys = sections.map(({ heading, rows = [] }) => [heading, rows.map(([key, value]) => [key, value])]);
  assert.deepEqual(keys, [
    [
      "Cache",
      [
        [
          { text: "note", kind: "code" },
          { text: '"hello"', kind: "code" },
        ],
      ],
    ],
    [
      "Key-value store",
      [
        [
          { text: "note:last", kind: "code" },
          { text: '{"text":"hello","password":"[redacted]"}', kind: "code" },
        ],
      ],
    ],
  ]);
  const after = await press(port, "stores", "delete-key", { key: "note:last" });
  assert.deepEqual(after.message, { text: "Deleted note:last.", isError: false });
  assert.deepEqual(after.sections[1]?.rows, []);
});

test("jobs and schedules are shown, and a queue is paused", async (t) => {
  const { port } = await startShop(t);
  await ask(port, "/mails", { method: "POST" });
  const { sections } = await readPanel(port, "jobs");
  assert.deepEqual(
    sections.map(({ heading }) => heading),
    ["Queues", "Schedules", "Jobs"],
  );
  assert.deepEqual(sections[1]?.rows?.[0]?.slice(1, 3), ["mails/send", { text: "0 3 * * *", kind: "code" }]);
  const paused = await press(port, "jobs", "pause", { queue: "default" });
  assert.match(String(paused.message?.text), /^The queue default is paused/);
  await ask(port, "/mails", { method: "POST" });
  const job = await readPanel(port, "jobs?id=2");
  assert.equal(job.sections[0]?.heading, "Job 2: mails/send");
  assert.match(String(job.sections[1]?.text), /ada@example\.com/);
  const cancelled = await press(port, "jobs", "cancel", { id: "2" });
  assert.equal(cancelled.message?.text, "Job 2 is cancelled.");
  const unknown = await press(port, "jobs", "retry", { id: "77" });
  assert.deepEqual(unknown.message, { text: "Job 77 has changed in the meantime.", isError: true });
  const retried = await press(port, "jobs", "retry", { id: "2", back: "id=2" });
  assert.equal(retried.message?.text, "Job 2 starts again.");
  assert.equal(retried.sections[0]?.heading, "Job 2: mails/send", "the page of the job is shown again");
  assert.equal((await readPanel(port, "jobs?id=77")).sections[0]?.heading, "There is no job 77");
});

test("the page of a job links to its recorded attempts, and the other pages have none", async (t) => {
  const { port } = await startShop(t);
  await ask(port, "/mails", { method: "POST" });
  await ask(port, "/mails", { method: "POST" });
  await until(async () => (await readPanel(port, "jobs?id=2")).attempts?.length === 1, "attempt of job 2");
  const { attempts = [] } = await readPanel(port, "jobs?id=2");
  assert.deepEqual(
    attempts.map(({ method, target, status }) => [method, target, status]),
    [["JOB", "mails/send", "done"]],
  );
  const { request } = await readJson<{ readonly request: { readonly job?: { readonly id: number } } }>(
    port,
    `/_dev/requests/${attempts[0]?.id}`,
  );
  assert.equal(request.job?.id, 2);
  const { text } = await ask(port, "/_dev/panels/jobs?id=2");
  assert.ok(text.includes(`href="/_dev/requests/${attempts[0]?.id}"`));
  assert.match((await ask(port, "/_dev/panels/jobs?id=77")).text, /None was recorded/);
  assert.equal((await readPanel(port, "jobs")).attempts, undefined);
  assert.equal((await readPanel(port, "stores?id=2")).attempts, undefined);
});

test("channels show topics and open connections", async (t) => {
  const { port } = await startShop(t);
  const { sections } = await readPanel(port, "channels");
  assert.deepEqual(sections[0]?.rows, []);
  assert.deepEqual(sections[1]?.rows?.[0], ["Open event streams", 0]);
});

test("a document is a frame of its own, without scripts, and only web addresses are links", async (t) => {
  const { port } = await startShop(t);
  const link = "https://example.com/verify?token=hunter2&a=1";
  const page = await ask(port, `/_dev/panels/letters?to=${encodeURIComponent(link)}`);
  assert.match(String(page.headers["content-security-policy"]), /script-src 'self'.+frame-src 'self'/);
  assert.doesNotMatch(page.text, /<script>|style=|javascript:/);
  assert.ok(page.text.includes(`href="${link.replace("&", "&amp;")}" target="_blank" rel="noreferrer"`));
  const [, source = ""] = /<iframe sandbox="allow-popups [^"]+" src="([^"]+)"/.exec(page.text) ?? [];
  const { status, headers, text } = await ask(port, source.replaceAll("&amp;", "&"));
  assert.equal(status, 200);
  assert.match(text, /^<!doctype html><base target="_blank"><!doctype html><html lang="en">/);
  assert.match(
    String(headers["content-security-policy"]),
    /^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none';/,
  );
  assert.doesNotMatch(String(headers["content-security-policy"]), /allow-scripts|allow-same-origin|script-src/);
  assert.equal(headers["x-frame-options"], "SAMEORIGIN");
  assert.equal((await ask(port, "/_dev/panels/letters?frame=1")).status, 404);
  assert.equal((await ask(port, "/_dev/panels/letters?frame=0", { headers: { "x-tenon-dev": "" } })).status, 404);
});

test("there is no other panel and no other action", async (t) => {
  const { port } = await startShop(t);
  assert.equal((await ask(port, "/_dev/panels/nothing")).status, 404);
});

test("a source of panels is an object with devPanels()", () => {
  const panel = { id: "own", title: "Own", read: () => [] };
  const instances = [undefined, null, {}, { devPanels: 1 }, "text", { devPanels: () => [panel] }];
  assert.deepEqual(findPanels({ instances: () => instances }), [panel]);
});
