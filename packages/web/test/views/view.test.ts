import assert from "node:assert/strict";
import { test } from "node:test";
import { api } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { Redirect, redirect, View, view } from "@tenon/web";
import { moduleOf } from "../../../core/test/support/transports.ts";

test("on a platform without views a view is its data as JSON, with its status", async () => {
  const app = await createTestApp(
    moduleOf([
      { method: "GET", path: "/data", handler: () => view("posts/show", { title: "Hello" }) },
      { method: "GET", path: "/none", handler: () => view("about") },
      { method: "GET", path: "/status", handler: () => view("posts/edit", [1], { status: 422 }) },
      { method: "GET", path: "/around", handler: (ctx) => ctx.status(201).json(view("posts/show", { id: 1 })) },
    ]),
    api(),
  );
  const replies = await Promise.all(
    ["/data", "/none", "/status", "/around"].map(async (path) => {
      const response = await app.request("GET", path);
      return [response.status, await response.text()];
    }),
  );
  assert.deepEqual(replies, [
    [200, '{"title":"Hello"}'],
    [200, "{}"],
    [422, "[1]"],
    [201, '{"id":1}'],
  ]);
  await app.stop();
});

test("view() and redirect() keep their arguments", () => {
  const shown = view("posts/show", { id: 1 }, { status: 201 });
  assert.ok(shown instanceof View);
  assert.deepEqual([shown.name, shown.value, shown.status], ["posts/show", { id: 1 }, 201]);
  const sent = redirect("/posts", { status: 308 });
  assert.ok(sent instanceof Redirect);
  assert.deepEqual([sent.to, sent.status, redirect("/").status], ["/posts", 308, 303]);
});

test("wrong arguments throw at the call", () => {
  assert.throws(() => view(""), /view\(\) takes the name of a view first/);
  assert.throws(() => view({ id: 1 } as never), /view\(\) takes the name of a view first/); // not checked by a compiler
  assert.throws(() => view("posts/show", {}, { status: 99 }), /whole number from 200 to 599, not 99/);
  assert.throws(() => redirect(undefined as never), /redirect\(\) takes a path first/); // likewise
  assert.throws(
    () => redirect("/", { status: 200 as never }),
    /redirect\(\) takes one of 301, 302, 303, 307, 308, not 200/,
  ); // likewise
});
