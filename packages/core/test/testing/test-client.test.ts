import assert from "node:assert/strict";
import { test } from "node:test";
import { api, type Context, type Routes, route } from "@tenon/core";
import { createTestApp, FakeClock, useClock } from "@tenon/core/testing";
import { moduleOf } from "../support/transports.ts";

const routes: Routes = [
  route.post("/*", (ctx: Context) => {
    for (const line of ctx.query("set").split("|")) ctx.response().addHeader("set-cookie", line);
    return "set";
  }),
  { method: "GET", path: "/*", handler: (ctx) => [ctx.header("cookie"), ctx.header("authorization")].join("~") },
];

test("a client keeps its cookies by name until they expire or are deleted", async () => {
  const clock = new FakeClock("2026-01-01T00:00:00Z");
  const app = await createTestApp(moduleOf(routes), api(), { override: [useClock(clock)] });
  const client = app.client();
  const set = (...lines: string[]) => client.request("POST", `/?set=${encodeURIComponent(lines.join("|"))}`);
  const seen = async () => String(await (await client.request("GET", "/account")).json()).split("~")[0];

  assert.equal(await seen(), "");
  await set("a=1; Path=/; HttpOnly; SameSite=Lax", "b=2; path=/account", "c=3=x", "d=4; Max-Age=soon");
  assert.equal(await seen(), "a=1; b=2; c=3=x; d=4");
  await set("a=5; Path=/; Max-Age=60", "b=; Path=/account; Max-Age=0", "c=; Max-Age=0", "d=; Max-Age=-1");
  assert.equal(await seen(), "a=5");
  clock.advance("61s");
  assert.equal(await seen(), "");
  await set("e=1; Expires=Thu, 01 Jan 2026 01:00:00 GMT", "f=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "g=1");
  assert.equal(await seen(), "e=1; g=1");
  clock.advance("1h");
  assert.equal(await seen(), "g=1");
  client.setCookie("h", "a b");
  assert.equal(await seen(), "g=1; h=a%20b");
  assert.equal(await (await app.client().request("GET", "/")).json(), "~", "clients share nothing");
  await app.stop();
});

test("a client sends its headers, and those of a request win", async () => {
  const app = await createTestApp(moduleOf(routes), api());
  const client = app.client({ headers: { Authorization: "Bearer a" } });
  client.setCookie("a", "1");
  assert.equal(await (await client.request("GET", "/")).json(), "a=1~Bearer a");
  const headers = { authorization: "Bearer b", Cookie: "own=1" };
  assert.equal(await (await client.request("GET", "/", { headers })).json(), "own=1~Bearer b");
  await app.stop();
});
