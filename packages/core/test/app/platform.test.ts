import assert from "node:assert/strict";
import { test } from "node:test";
import { api, type HttpApp, HttpError, type Platform, type Routes, route } from "@tenon/core";
import type { ResolvedPlatform } from "@tenon/core/platform";
import { createTestApp } from "@tenon/core/testing";
import { LogLines } from "../support/log-lines.ts";
import { moduleOf } from "../support/transports.ts";

const routes: Routes = [
  { method: "GET", path: "/", handler: () => "value" },
  route.get("/error", () => {
    throw new HttpError(409, "Conflict");
  }),
];

/** The API platform with another serializer, as a custom platform has. */
function platformWith(serialize: ResolvedPlatform["serialize"]): Platform<HttpApp> {
  const plain = api({ middlewares: [] });
  return { ...plain, resolve: () => ({ ...plain.resolve(), serialize }) };
}

test("a platform may serialize asynchronously, values and errors", async () => {
  const { serialize } = api().resolve();
  const slow = platformWith(async (reply, ctx) => {
    await undefined;
    ctx.response().setHeader("x-slow", "1");
    return serialize(reply, ctx);
  });
  const app = await createTestApp(moduleOf(routes), slow);
  for (const [path, status] of [
    ["/", 200],
    ["/error", 409],
    ["/nothing", 404],
  ] as const) {
    const response = await app.request("GET", path);
    assert.deepEqual([response.status, response.headers.get("x-slow")], [status, "1"], path);
  }
  await app.stop();
});

for (const [title, serialize] of [
  [
    "throws",
    () => {
      throw new Error("no serializer");
    },
  ],
  ["rejects", () => Promise.reject(new Error("no serializer"))],
] satisfies [string, ResolvedPlatform["serialize"]][]) {
  test(`a serializer that ${title}, also for the error response, still gives a bare 500`, async () => {
    const log = new LogLines();
    const app = await createTestApp(moduleOf(routes), platformWith(serialize), { log: log.options });
    const response = await app.request("GET", "/");
    assert.equal(response.status, 500);
    assert.equal(response.headers.get("content-type"), "application/json; charset=utf-8");
    assert.deepEqual(await response.json(), { error: "Internal Server Error" });
    assert.deepEqual(log.messages("error"), ["GET / failed", "the error response could not be made"]);
    await app.stop();
  });
}
