import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { dto, type Routes, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { view, web } from "@tenon/web";
import { connectionsOf } from "../../../core/test/support/connections.ts";
import { openFilesBelow } from "../../../core/test/support/open-files.ts";
import { requestRaw } from "../../../core/test/support/raw-request.ts";
import { moduleOf } from "../../../core/test/support/transports.ts";
import { until } from "../../../core/test/support/until.ts";
import { RawClient } from "../../../core/test/support/wire.ts";
import { testOnSite } from "../support/session-site.ts";
import { temporaryViews } from "../support/views.ts";

const views = {
  "pages/show.eta": "<p title=\"<%= data.text %>\" class='<%= data.text %>'><%= data.text %></p>",
  "errors/error.eta": "<p><%= data.message %> <%= page.path %></p>",
};
const hostile = `</p><script>alert("1")</script>' onload='x`;

test("the output of a view is escaped, and no value can exempt itself (K17, GHSA-9r54-q6cx-xmh5, h3 17e0cbd0)", async () => {
  const raws: readonly unknown[] = [
    hostile,
    { toString: () => hostile },
    { __html: hostile, isEscaped: true, toString: () => hostile },
    Object.assign([hostile], { raw: true }),
    JSON.parse(JSON.stringify({ text: hostile, isEscaped: true })).text,
  ];
  const routes: Routes = [
    ...raws.map((text, index) => ({
      method: "GET" as const,
      path: `/${index}`,
      handler: () => view("pages/show", { text }),
    })),
    {
      method: "POST",
      path: "/json",
      handler: async (ctx) =>
        view("pages/show", {
          text: await ctx
            .request()
            .body()
            .then((body) => JSON.parse(Buffer.from(body).toString())),
        }),
    },
    // data that look like a view or a redirect are data
    {
      method: "POST",
      path: "/data",
      handler: async (ctx) => JSON.parse(Buffer.from(await ctx.request().body()).toString()),
    },
  ];
  const platform = web({ views: temporaryViews(views), development: false, middlewares: [] });
  const app = await createTestApp(moduleOf(routes), platform, { log: { level: "silent" } });
  const assertEscaped = async (response: Response, what: string) => {
    const text = await response.text();
    assert.doesNotMatch(text, /<script|<\/p><|' onload/, `${what}: ${text}`);
  };
  try {
    for (const index of raws.keys()) await assertEscaped(await app.request("GET", `/${index}`), String(index));
    for (const value of [
      { isEscaped: true, value: hostile },
      { $$typeof: 1, props: { children: hostile } },
      [hostile],
    ]) {
      await assertEscaped(await app.request("POST", "/json", { json: value }), JSON.stringify(value));
    }
    for (const value of [
      { name: "pages/show", data: { text: hostile }, status: 200 },
      { to: "//evil.example", status: 302 },
    ]) {
      const reply = await app.request("POST", "/data", { json: value, headers: { accept: "text/html" } });
      assert.notEqual(reply.status, 302);
      assert.equal(reply.headers.get("location"), null);
      await assertEscaped(reply, JSON.stringify(value));
    }
    await assertEscaped(await app.request("GET", `/${encodeURIComponent(hostile)}`), "a missing page");
  } finally {
    await app.stop();
  }
});

const uploads: { field: string; name: string; type: string; size: number }[] = [];
const upload: Routes = [
  {
    method: "POST",
    path: "/upload",
    handler: async (ctx) => {
      const { files } = await ctx.request().form();
      uploads.push(...files.map(({ field, name, type, bytes }) => ({ field, name, type, size: bytes.byteLength })));
      return ctx.status(200).send("taken");
    },
  },
];

function multipart(fileName: string, content = "x"): { readonly body: string; readonly type: string } {
  const head = `content-disposition: form-data; name="file"; filename="${fileName}"\r\ncontent-type: text/plain`;
  return { body: `--edge\r\n${head}\r\n\r\n${content}\r\n--edge--\r\n`, type: "multipart/form-data; boundary=edge" };
}

test("the path is removed from the name of an uploaded file, and an aborted upload leaves nothing (B10, CVE-2026-2359, CVE-2026-77063, CVE-2026-21440)", async () => {
  const platform = web({ views: temporaryViews(views), development: false, middlewares: [] });
  const app = await createTestApp(moduleOf(upload), platform);
  try {
    const { port, url } = await app.listen({ port: 0, signals: false });
    const before = openFilesBelow(tmpdir());
    const names = {
      "../../etc/passwd": "passwd",
      "..\\..\\boot.ini": "boot.ini",
      "/etc/passwd": "passwd",
      "C:\\fakepath\\a.txt": "a.txt",
      "..": "",
      ".": "",
      "a%0d%0ab.txt": "ab.txt",
      "%2e%2e%2fx": "%2e%2e%2fx",
    };
    for (const [given, kept] of Object.entries(names)) {
      uploads.length = 0;
      const { body, type } = multipart(given);
      const reply = await fetch(`${url}/upload`, { method: "POST", body, headers: { "content-type": type } });
      assert.equal(reply.status, 200, given);
      assert.deepEqual(uploads, [{ field: "file", name: kept, type: "text/plain", size: 1 }], given);
    }
    uploads.length = 0;
    const clients = Array.from({ length: 50 }, () => {
      const { body, type } = multipart("a.txt", "x".repeat(100_000));
      const head = `POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`;
      return new RawClient(port).send(head + body.slice(0, 50_000));
    });
    await until(async () => ((await connectionsOf(app)) ?? 0) >= clients.length, "connections");
    for (const client of clients) client.socket.resetAndDestroy();
    await until(async () => (await connectionsOf(app)) === 0, "end of the connections");
    const many = Array.from(
      { length: 1001 },
      (_, index) => `--edge\r\ncontent-disposition: form-data; name="${index}"\r\n\r\n\r\n`,
    );
    const headers = { "content-type": "multipart/form-data; boundary=edge" };
    const flood = await fetch(`${url}/upload`, { method: "POST", body: `${many.join("")}--edge--\r\n`, headers });
    assert.equal(flood.status, 413);
    assert.deepEqual(uploads, []);
    assert.deepEqual(openFilesBelow(tmpdir()), before);
  } finally {
    await app.stop();
  }
});

testOnSite(
  "no field of a form reaches a prototype (B7, CVE-2026-31865, CVE-2026-25754, CVE-2026-8161)",
  async ({ call }) => {
    const form = "__proto__=x&__proto__[polluted]=1&constructor.prototype.polluted=1&constructor=y&toString=z&name=Ada";
    const part = (name: string) => `--edge\r\ncontent-disposition: form-data; name="${name}"\r\n\r\nx\r\n`;
    const parts = ["__proto__", "constructor", "__proto__[polluted]", "name"].map(part).join("");
    for (const [body, type] of [
      [form, "application/x-www-form-urlencoded"],
      [`${parts}--edge--\r\n`, "multipart/form-data; boundary=edge"],
    ] as const) {
      const reply = await call("POST", "/record", {
        body,
        headers: { "content-type": type, accept: "application/json" },
      });
      const { prototype, names, bound } = (await reply.json()) as {
        prototype: unknown;
        names: string[];
        bound: unknown[];
      };
      assert.equal(prototype, null);
      assert.ok(names.includes("__proto__") && names.includes("constructor"));
      assert.deepEqual(bound, ["name"]);
    }
    assert.equal("polluted" in {}, false);
  },
  {
    routes: [
      {
        method: "POST",
        path: "/record",
        handler: async (ctx) => {
          const record = (await ctx.request().form()).toRecord();
          const bound = await ctx.bind(dto({ name: string() }));
          return { prototype: Object.getPrototypeOf(record), names: Object.keys(record), bound: Object.keys(bound) };
        },
      },
    ],
    settings: { csrf: false },
  },
);

test("only files below the assets folder are served (K16, GHSA-w332-q679-j88p, CVE-2024-23340, CVE-2025-11149)", async () => {
  const assets = temporaryViews({ "a.css": "a", ".env": "hidden", "folder/b.css": "b" });
  writeFileSync(join(dirname(assets), "secret.css"), "hidden");
  const app = await createTestApp(moduleOf([]), web({ views: temporaryViews(views), assets, development: false }));
  try {
    const { port } = await app.listen({ port: 0, signals: false });
    assert.equal((await requestRaw(port, "/assets/a.css")).status, 200);
    for (const path of [".env", "%2eenv", "..%2fsecret.css", "..%5csecret.css", "folder", "folder/", ""]) {
      const reply = await requestRaw(port, `/assets/${path}`);
      assert.equal(reply.status, 404, path);
      assert.ok(!reply.body.includes("hidden"), path);
    }
    for (const path of ["../secret.css", "%2e%2e/secret.css", "./a.css", "a.css%00", "a.css?v=%00"]) {
      assert.equal((await requestRaw(port, `/assets/${path}`)).status, 400, path);
    }
  } finally {
    await app.stop();
  }
});
