import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { api, type Context, createApp, defineModule } from "@tenon/core";
import { dataModule, KeyValue } from "@tenon/data";
import { sessionsModule, WebSessions, web } from "@tenon/web";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { until } from "../../core/test/support/until.ts";
import { services } from "../../data/test/support/services.ts";
import type { WaterfallRow } from "../src/pages/waterfall.ts";
import type { Recorded, RecordedSpan } from "../src/record/recorded.ts";
import { fromDeveloper, startDevelopment } from "./support/developer.ts";
import { ask, count, readJson, silentLog, startShop } from "./support/shop.ts";

interface Row {
  readonly id: string;
  readonly method: string;
  readonly target: string;
  readonly status: number | string;
  readonly ms: number;
  readonly queries: number;
  readonly slow: number;
  readonly repeated: number;
}
interface Detail {
  readonly request: Recorded;
  readonly waterfall: readonly WaterfallRow[];
  readonly repeated: readonly { readonly sql: string; readonly count: number }[];
  readonly slow: readonly RecordedSpan[];
  readonly curl?: string;
  readonly jobs: readonly Row[];
  readonly source?: Row;
}

async function list(port: number, query = ""): Promise<readonly Row[]> {
  return (await readJson<{ readonly requests: readonly Row[] }>(port, `/_dev/requests.json${query}`)).requests;
}

/** The newest record of a target, which may be a moment late. */
async function find(port: number, target: string): Promise<Detail> {
  let row: Row | undefined;
  const isRecorded = async () => {
    row = (await list(port)).find((one) => one.target === target);
    return row !== undefined;
  };
  await until(isRecorded, `record of ${target}`);
  return readJson<Detail>(port, `/_dev/requests/${row?.id}`);
}

const json = { "content-type": "application/json" };

test("a request is shown with its handler, statements and log lines, repeated statements marked", async (t) => {
  const { port } = await startShop(t, { slowQuery: 600_000 }); // a machine that stalls marks none as slow
  await ask(port, "/items?page=1");
  const { request, waterfall, repeated } = await find(port, "/items?page=1");
  assert.deepEqual(
    [request.method, request.route, request.status, request.handler],
    ["GET", "/items", 200, "shop.items"],
  );
  const sql = waterfall.filter(({ kind }) => kind === "sql");
  assert.deepEqual(
    sql.map(({ rows, marks }) => [rows, marks]),
    Array.from({ length: 4 }, () => [1, ["repeated 4×"]]),
  );
  assert.deepEqual(
    repeated.map(({ sql: text, count }) => [text, count]),
    [["select id, name from items where id = ?", 4]],
  );
  const handler = waterfall.find(({ kind }) => kind === "handler");
  assert.ok(handler !== undefined && sql.every(({ depth, start }) => depth > handler.depth && start >= handler.start));
  assert.ok(
    waterfall.some(({ kind, name, level }) => kind === "log" && level === "info" && name === "listing the items"),
  );
  assert.match(String(request.response?.body?.text), /"chisel"/);
});

test("the time of rendering a view is shown, inside of the response", async (t) => {
  const views = { has: () => true, render: (name: string) => `<p>${name}</p>` };
  const { port } = await startShop(t, { platform: web({ views }) });
  assert.equal((await ask(port, "/items")).text, "<p>shop/items</p>");
  const { waterfall } = await find(port, "/items");
  const rows = waterfall.filter(({ kind }) => kind === "response" || kind === "view");
  assert.deepEqual(
    rows.map(({ kind, name, depth }) => [kind, name, depth]),
    [
      ["response", "made from what the handler returned", 0],
      ["view", "shop/items", 1],
    ],
  );
});

test("a slow statement is marked, and explained", async (t) => {
  const { port } = await startShop(t, { slowQuery: 1 });
  await ask(port, "/slow");
  const { request, slow } = await find(port, "/slow");
  assert.equal(slow.length, 1);
  const index = request.spans.findIndex(({ kind }) => kind === "sql");
  const { plan } = await readJson<{ readonly plan: string }>(port, `/_dev/requests/${request.id}/explain/${index}`);
  assert.match(plan, /SCAN|RECURSIVE/);
  assert.equal((await ask(port, `/_dev/requests/${request.id}/explain/999`)).status, 404);
  const [row] = await list(port, "?q=slow");
  assert.deepEqual([row?.target, row?.slow], ["/slow", 1]);
});

test("credentials are kept nowhere: not in memory, not in the file, not in a command", async (t) => {
  const file = join(temporaryFolder("devtools"), "cache", "requests.jsonl");
  const { port, app } = await startShop(t, { file });
  const secrets = ["letmein", "s3cret-cookie", "s3cret-password", "s3cret-query"];
  await ask(port, "/private?access_token=s3cret-query&page=2", {
    headers: { authorization: "Bearer letmein", cookie: "session=s3cret-cookie; theme=s3cret-cookie" },
  });
  const body = JSON.stringify({ text: "hello", password: "s3cret-password" });
  assert.equal((await ask(port, "/notes", { method: "POST", headers: json, body })).status, 201);
  const first = await find(port, "/private?access_token=[redacted]&page=2");
  assert.equal(first.request.request?.headers.cookie, "session=[redacted]; theme=[redacted]");
  const second = await find(port, "/notes");
  assert.equal(second.request.request?.body?.text, '{"text":"hello","password":"[redacted]"}');
  assert.equal(second.request.response?.body?.text, '{"text":"hello","password":"[redacted]"}');
  assert.match(String(second.curl), /^curl -X POST 'http:\/\/127\.0\.0\.1:\d+\/notes' \\\n/);
  await app.stop();
  const kept = readFileSync(file, "utf8") + JSON.stringify([first, second]);
  for (const secret of secrets) assert.ok(!kept.includes(secret), secret);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test("records outlast a restart, and the oldest are dropped", async (t) => {
  const file = join(temporaryFolder("devtools"), "requests.jsonl");
  const first = await startShop(t, { file, keep: 3 });
  for (const page of [1, 2, 3, 4]) await ask(first.port, `/items?page=${page}`);
  await find(first.port, "/items?page=4");
  await first.app.stop();
  const second = await startShop(t, { file, keep: 3 });
  await ask(second.port, "/items?page=5");
  await find(second.port, "/items?page=5");
  assert.deepEqual(
    (await list(second.port)).map(({ target }) => target),
    ["/items?page=5", "/items?page=4", "/items?page=3"],
  );
});

test("a file that cannot be read or written does no harm", async (t) => {
  const folder = temporaryFolder("devtools");
  const { port, app } = await startShop(t, { file: folder });
  assert.equal((await ask(port, "/items")).status, 200);
  await find(port, "/items");
  await app.stop();
});

test("what a client sends is shown as text", async (t) => {
  const { port } = await startShop(t);
  const attack = '<img src=x onerror="alert(1)">';
  const headers = { ...json, "x-attack": attack };
  await ask(port, `/notes?q=${encodeURIComponent(attack)}`, {
    method: "POST",
    headers,
    body: JSON.stringify({ text: attack }),
  });
  const { request } = await find(port, `/notes?q=${encodeURIComponent(attack)}`);
  for (const path of [`/_dev/requests/${request.id}`, `/_dev/requests/${request.id}/replay`, "/_dev/panels/stores"]) {
    const { text } = await ask(port, path);
    assert.ok(text.includes("&lt;img src=x"), path);
    assert.ok(!text.includes("<img"), path);
  }
  const { text } = await ask(port, `/_dev/requests?q=${encodeURIComponent(attack)}`);
  assert.ok(!text.includes("<img"));
});

test("a request that still runs is in the list, with what it has done so far", async (t) => {
  const { port } = await startShop(t);
  const waiting = ask(port, "/wait");
  const running = await find(port, "/wait");
  assert.equal(running.request.status, undefined);
  assert.ok(running.waterfall.some(({ kind }) => kind === "handler"));
  assert.match((await ask(port, `/_dev/requests/${running.request.id}`)).text, />running</);
  await ask(port, "/release");
  assert.equal((await waiting).status, 200);
  const { request } = await readJson<Detail>(port, `/_dev/requests/${running.request.id}`);
  assert.equal(request.status, 200);
  assert.equal((await list(port, "?q=wait")).length, 1);
});

test("the list is filtered by words, marks and duration, sorted, and leaves out the framework's own", async (t) => {
  const { port } = await startShop(t, { platform: api({ middlewares: [], docs: true }), slowQuery: 1 });
  for (const path of ["/slow", "/items", "/openapi.json", "/broken", "/nothing"]) await ask(port, path);
  await find(port, "/nothing");
  await ask(port, "/_dev", { headers: { "x-tenon-dev": "" } });
  const targets = async (query: string) => (await list(port, `?${query}`)).map(({ target }) => target);
  assert.deepEqual(await targets("q=404"), ["/nothing"]);
  assert.deepEqual(await targets("q=get+items"), ["/items"]);
  assert.deepEqual(await targets("q=post"), []);
  assert.deepEqual(await targets("mark=error"), ["/broken"]);
  assert.deepEqual(await targets("mark=repeated"), ["/items"]);
  assert.ok((await targets("mark=slow")).includes("/slow"));
  assert.deepEqual(await targets("least=600000"), []);
  assert.deepEqual(await targets(""), ["/nothing", "/broken", "/items", "/slow"]);
  const all = await targets("packages=1");
  assert.deepEqual(all, ["/_dev", "/nothing", "/broken", "/openapi.json", "/items", "/slow"]);
  assert.deepEqual(await targets("sort=-time"), ["/slow", "/items", "/broken", "/nothing"]);
  assert.deepEqual(await targets("sort=target"), ["/broken", "/items", "/nothing", "/slow"]);
  assert.deepEqual((await targets("sort=status")).slice(0, 2), ["/broken", "/nothing"]);
  assert.deepEqual((await targets("sort=sql")).slice(0, 2), ["/items", "/slow"]);
  const durations = (await list(port, "?sort=duration")).map(({ ms }) => ms);
  assert.deepEqual(
    durations,
    durations.toSorted((one, other) => other - one),
  );
  assert.equal((await targets("sort=nonsense&mark=nonsense&least=nonsense")).length, 4);
  const { text } = await ask(port, "/_dev/requests?q=get&sort=duration");
  assert.match(
    text,
    /<th scope="col" class="number" aria-sort="descending"><a href="\?q=get&amp;sort=-duration">Duration/,
  );
});

test("a job is a record of its own, and both lead to each other", async (t) => {
  const { port } = await startShop(t);
  await ask(port, "/mails", { method: "POST" });
  const job = await find(port, "mails/send");
  assert.deepEqual([job.request.kind, job.request.job?.state, job.request.job?.attempt], ["job", "done", 1]);
  assert.ok(job.request.spans.some(({ kind }) => kind === "sql"));
  assert.ok(job.request.logs.some(({ message }) => message === "sending a mail"));
  assert.equal(job.source?.target, "/mails");
  const request = await find(port, "/mails");
  assert.deepEqual(
    request.jobs.map(({ target, status }) => [target, status]),
    [["mails/send", "done"]],
  );
  assert.ok(request.waterfall.some(({ kind, name }) => kind === "enqueue" && name === "mails/send"));
});

test("commands of Redis and requests to other servers are operations, too", async (t) => {
  const { redis } = services;
  const { port, url } = await startShop(t, redis === undefined ? {} : { keyValue: redis });
  await ask(port, `/outgoing?to=${url}/items`);
  const outgoing = await find(port, `/outgoing?to=${url}/items`);
  const called = outgoing.request.spans.find(({ kind }) => kind === "fetch");
  assert.equal(called?.name, `GET ${url}/items?api_key=[redacted]`);
  assert.ok((called?.ms ?? 0) > 0);
  await find(port, "/items?api_key=[redacted]");
  if (redis === undefined) return;
  await ask(port, "/notes", { method: "POST", headers: json, body: '{"text":"hello"}' });
  const { waterfall } = await find(port, "/notes");
  assert.ok(waterfall.some(({ kind, name }) => kind === "redis" && name === "SET"));
  assert.ok(waterfall.some(({ kind, name, note }) => kind === "event" && name === "added to notes" && note !== ""));
});

test("the session of a request is shown without its secrets", async (t) => {
  const views = temporaryFolder("views");
  class Cart {
    routes() {
      return [{ method: "GET" as const, path: "/cart", handler: this.show }];
    }
    async show(ctx: Context) {
      await ctx.get("session").set("items", ["saw"]);
      await ctx.get("session").set("password", "hidden");
      return ctx.status(200).send("cart");
    }
  }
  const module = defineModule({
    name: "carts",
    imports: [
      sessionsModule(dataModule({ database: "sqlite::memory:", keyValue: "memory:" }), {
        store: KeyValue,
        secret: "x".repeat(32),
      }),
    ],
    declarations: [Cart],
  });
  startDevelopment(t);
  const app = await createApp(module, web({ views, middlewares: [WebSessions] }), {
    devtools: { file: false },
    log: silentLog,
    onStartError: "throw",
  });
  t.after(() => app.stop());
  const { port } = await app.listen({ port: 0, signals: false });
  const { text } = await ask(port, "/cart");
  assert.equal(text, "cart");
  const { request } = await find(port, "/cart");
  assert.deepEqual(request.session, { items: ["saw"], password: "[redacted]" });
  assert.match(String(request.response?.headers["set-cookie"]), /^tenon_session=\[redacted\];/);
});

test("errors are grouped by their place, with the lines around it", async (t) => {
  const { port } = await startShop(t);
  for (let time = 0; time < 3; time++) await ask(port, "/broken");
  await find(port, "/broken");
  const { errors } = await readJson<{
    readonly errors: readonly {
      readonly type: string;
      readonly message: string;
      readonly count: number;
      readonly place: { readonly text: string; readonly source: { readonly lines: readonly { text: string }[] } };
      readonly records: readonly unknown[];
    }[];
  }>(port, "/_dev/errors");
  assert.equal(errors.length, 1);
  const [error] = errors;
  assert.deepEqual([error?.type, error?.message, error?.count], ["RangeError", "the shelf is empty", 3]);
  assert.equal(error?.records.length, 3);
  assert.match(String(error?.place.text), /shop\.ts:\d+:\d+$/);
  assert.ok(error?.place.source.lines.some(({ text }) => text.includes("the shelf is empty")));
});

test("the event stream tells when the list has changed", async (t) => {
  const { port, url } = await startShop(t);
  const ended = new AbortController();
  const response = await fetch(`${url}/_dev/events`, { signal: ended.signal, headers: fromDeveloper });
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  assert.ok(response.body !== null);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  await reader.read();
  await ask(port, "/items");
  let text = "";
  while (!text.includes("event: change")) {
    const { done, value } = await reader.read();
    assert.equal(done, false, text);
    text += value;
  }
  ended.abort();
  await assert.rejects(reader.read());
});

test("the secret in a path is kept neither in the target nor in the lines of the log", async (t) => {
  const { port } = await startShop(t);
  const headers = { "content-type": "application/json", referer: "http://localhost/reset/hunter2" };
  await ask(port, "/reset/hunter2", { method: "POST", headers, body: "{}" });
  await ask(port, "/reset/hunter2");
  const { requests } = await readJson<{
    readonly requests: readonly { readonly id: string; readonly target: string }[];
  }>(port, "/_dev/requests");
  assert.deepEqual(
    requests.map(({ target }) => target),
    ["/reset/[redacted]", "/reset/[redacted]"],
  );
  for (const { id } of requests) {
    assert.doesNotMatch((await ask(port, `/_dev/requests/${id}`)).text, /hunter2/);
    assert.doesNotMatch((await ask(port, `/_dev/requests/${id}.json`)).text, /hunter2/);
  }
});

test("rejected input is recorded with the rule that a secret field breaks, not with its value", async (t) => {
  const { port } = await startShop(t);
  await ask(port, "/notes", { method: "POST", headers: json, body: '{"text":"hi","password":["hunter2"]}' });
  const { request } = await find(port, "/notes");
  assert.equal(request.status, 400);
  const [line] = request.logs.filter(({ message }) => message === "POST /notes: the input was rejected");
  assert.deepEqual(JSON.parse(JSON.stringify(line?.fields)).issues, [{ path: "password", rule: "string" }]);
  assert.doesNotMatch(JSON.stringify(request), /hunter2/);
});

test("each message of a WebSocket is a record, with its statements, log lines and error", async (t) => {
  const { port, url } = await startShop(t);
  await count(url, "count", "fail");
  const rows = (await list(port)).filter(({ method }) => method === "WS");
  assert.deepEqual(
    rows.map(({ target, status, queries }) => [target, status, queries]),
    [
      ["/counter/[redacted]", 500, 0],
      ["/counter/[redacted]", 200, 1],
    ],
  );
  const [failed, counted] = await Promise.all(rows.map(({ id }) => readJson<Detail>(port, `/_dev/requests/${id}`)));
  assert.deepEqual([counted?.request.kind, counted?.request.handler], ["message", "count"]);
  assert.deepEqual(
    counted?.waterfall.map(({ kind, name }) => [kind, name]),
    [
      ["log", "counting the items"],
      ["sql", "select id from items"],
    ],
  );
  assert.equal(failed?.request.logs[0]?.error?.message, "the counter is broken");
  assert.equal(failed?.curl, undefined);
});
