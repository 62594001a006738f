import assert from "node:assert/strict";
import { test } from "node:test";
import { api, type Context, type HttpApp, type Platform, type Routes } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { moduleOf } from "../../core/test/support/transports.ts";
import { overrideMethods } from "../src/method-override.ts";

const urlencoded = "application/x-www-form-urlencoded";

const show = async (ctx: Context<"/posts/:id">) => ({
  method: ctx.method,
  path: ctx.path,
  id: ctx.param("id"),
  title: ctx.header("content-type") === "" ? undefined : (await ctx.request().form()).get("title"),
  headers: Object.keys(ctx.request().headers()).includes("content-type"),
  caller: [ctx.request().protocol(), ctx.request().host() !== "", typeof ctx.request().address()],
  aborted: ctx.signal.aborted,
  query: ctx.request().queries(),
});
const routes: Routes = [
  ...(["POST", "PUT", "PATCH", "DELETE"] as const).map((method) => ({ method, path: "/posts/:id", handler: show })),
  { method: "GET", path: "/posts/:id", handler: (ctx) => ({ method: ctx.method }) },
  { method: "POST", path: "/plain/:id", handler: (ctx) => ({ method: ctx.method }) },
];

function platform(): Platform<HttpApp> {
  const platform = api({ middlewares: [] });
  return {
    ...platform,
    resolve() {
      const plain = platform.resolve();
      return { ...plain, open: (parts) => plain.open({ ...parts, kernel: overrideMethods(parts.kernel) }) };
    },
  };
}

type Post = (target: string, headers?: Record<string, string>, method?: string) => Promise<Response>;

/** Runs one test in process and over a socket. */
function testOverride(name: string, body: (post: Post) => Promise<void>): void {
  for (const transport of ["fetch", "socket"]) {
    test(`${name} (${transport})`, async () => {
      const app = await createTestApp(moduleOf(routes), platform());
      try {
        const url = transport === "fetch" ? "http://localhost" : (await app.listen({ port: 0, signals: false })).url;
        await body((target, headers = { "content-type": urlencoded }, method = "POST") => {
          const sent = method === "GET" || method === "HEAD" ? null : new TextEncoder().encode("title=Hi");
          const request = new Request(`${url}${target}`, { method, headers, body: sent });
          return transport === "fetch" ? app.fetch(request) : fetch(request);
        });
      } finally {
        await app.stop();
      }
    });
  }
}

const read = async (response: Promise<Response>) => (await (await response).json()) as Record<string, unknown>; // show()

testOverride("a form is routed to the method in its query", async (post) => {
  for (const [search, method] of [
    ["_method=PUT", "PUT"],
    ["_method=PATCH", "PATCH"],
    ["_method=delete", "DELETE"],
    ["a=1&_method=Put&b", "PUT"],
    ["%5Fmethod=PUT", "PUT"],
    ["_method=PUT&_method=DELETE", "PUT"],
  ] as const) {
    const shown = await read(post(`/posts/7?${search}`));
    assert.deepEqual([shown.method, shown.id, shown.title], [method, "7", "Hi"], search);
  }
});

testOverride("an override changes nothing else of the request", async (post) => {
  assert.deepEqual(await read(post("/posts/7?_method=PUT&a=1")), {
    method: "PUT",
    path: "/posts/7",
    id: "7",
    title: "Hi",
    headers: true,
    caller: ["http", true, "string"],
    aborted: false,
    query: { _method: "PUT", a: "1" },
  });
  const boundary = { "content-type": "Multipart/Form-Data; boundary=b" };
  assert.equal((await post("/posts/7?_method=DELETE", boundary)).status, 400, "the form is read by the DELETE route");
});

testOverride("no other method can be named, and without one it stays POST", async (post) => {
  const searches = [
    "",
    "?",
    "?_method=",
    "?_method=GET",
    "?_method=HEAD",
    "?_method=POST",
    "?_method=OPTIONS",
    "?_method=CONNECT",
    "?_method=constructor",
    "?_method=PUT%20",
    "?_method=PUT,DELETE",
    "?x_method=PUT",
    "?method=PUT",
    "?_METHOD=PUT",
  ];
  for (const search of searches) {
    const response = await post(`/plain/7${search}`);
    assert.deepEqual([response.status, await response.json()], [200, { method: "POST" }], search);
  }
  assert.equal((await post("/plain/7?_method=PUT")).status, 404, "there is no PUT route");
  assert.equal((await post("/plain/7?_method%00=PUT")).status, 400);
});

testOverride("only a POST with a form is overridden", async (post) => {
  for (const type of ["application/json", "text/plain", "", "multipart/mixed; boundary=b"]) {
    const response = await post("/plain/7?_method=PUT", type === "" ? {} : { "content-type": type });
    assert.deepEqual([response.status, await response.json()], [200, { method: "POST" }], type);
  }
  const form = { "content-type": urlencoded };
  assert.deepEqual(await (await post("/posts/7?_method=DELETE", form, "GET")).json(), { method: "GET" });
  assert.equal((await read(post("/posts/7?_method=DELETE", form, "PUT"))).method, "PUT");
  assert.equal((await post("/posts/7?_method=PUT", form, "HEAD")).status, 200);
});
