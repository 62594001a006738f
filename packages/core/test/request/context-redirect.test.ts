import assert from "node:assert/strict";
import { type Routes, route } from "@tenon/core";
import { testOnBothTransports } from "../support/transports.ts";

const routes: Routes = [
  { method: "POST", path: "/own", handler: async (ctx) => ctx.redirect(await text(ctx.request().body())) },
  route.post("/external", async (ctx) =>
    ctx.redirect(await text(ctx.request().body()), { external: true, status: 303 }),
  ),
];

async function text(body: Promise<Uint8Array>): Promise<string> {
  return JSON.parse(Buffer.from(await body).toString()) as string; // what the tests below send
}

const own: readonly [target: string, location: string][] = [
  ["/", "/"],
  ["/posts/1?page=2#top", "/posts/1?page=2#top"],
  ["/a b", "/a%20b"],
  ["/ü", "/%C3%BC"],
  ["/100%25", "/100%25"],
  ["/%5B?a[0]=1", "/%5B?a[0]=1"],
];

testOnBothTransports("redirect() sends a path of this site with 302 and an empty body", routes, async (call) => {
  for (const [target, location] of own) {
    const response = await call("POST", "/own", { body: JSON.stringify(target) });
    assert.equal(response.status, 302);
    assert.equal(response.headers.get("location"), location);
    assert.equal(response.headers.get("content-type"), null);
    assert.equal(await response.text(), "", "no body that could carry the target (K9, Express CVE-2024-43796)");
  }
});

testOnBothTransports(
  "redirect() goes to another site with external: true, with the given status",
  routes,
  async (call) => {
    for (const [target, location] of [
      ["https://example.com/a?b=c#d", "https://example.com/a?b=c#d"],
      ["http://[::1]:8080/x", "http://[::1]:8080/x"],
      ["https://example.com/\r\nx: y", "https://example.com/%0D%0Ax:%20y"],
    ] as const) {
      const response = await call("POST", "/external", { body: JSON.stringify(target) });
      assert.equal(response.status, 303);
      assert.equal(response.headers.get("location"), location);
      assert.equal(response.headers.get("x"), null);
    }
  },
);
