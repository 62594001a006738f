import assert from "node:assert/strict";
import { test } from "node:test";
import { type ApiOptions, dto, endpoint, HttpError, type Routes, route, string } from "@tenon/core";
import { accessLog, requestId } from "@tenon/core/middleware";
import { testOnBothTransports } from "../support/transports.ts";

const routes: Routes = [
  { method: "GET", path: "/posts/:id", handler: () => ({ ok: true }) },
  { method: "GET", path: "/users/:id/reset/:resetToken", handler: () => ({ ok: true }) },
  route.post("/login", () => {
    throw new HttpError(401, "Invalid credentials");
  }),
];

testOnBothTransports(
  "each request leaves one line with id, method, path, status and milliseconds, errors and misses included",
  routes,
  async (call, _, log) => {
    const headers = { "x-request-id": "r1" };
    await call("GET", "/posts/1", { headers });
    await call("POST", "/login", { headers, body: "{}" });
    await call("GET", "/nowhere", { headers });
    await call("GET", "/%zz", { headers });
    const lines = log.all.filter((line) => line.msg === "request");
    for (const line of lines) {
      assert.equal(line.level, "info");
      assert.ok(typeof line.ms === "number" && line.ms >= 0);
    }
    assert.deepEqual(
      lines.map(({ id, method, path, status }) => ({ id, method, path, status })),
      [
        { id: "r1", method: "GET", path: "/posts/1", status: 200 },
        { id: "r1", method: "POST", path: "/login", status: 401 },
        { id: "r1", method: "GET", path: "/nowhere", status: 404 },
        { id: "r1", method: "GET", path: "/%zz", status: 400 },
      ],
    );
  },
  { middlewares: [requestId(), accessLog()] },
);

testOnBothTransports(
  "a path parameter that is named like a secret is redacted",
  routes,
  async (call, _, log) => {
    await call("GET", "/users/7/reset/hunter2");
    assert.deepEqual(
      log.all.filter(({ msg }) => msg === "request").map(({ path }) => path),
      ["/users/7/reset/[redacted]"],
    );
  },
  { middlewares: [accessLog()] },
);

testOnBothTransports(
  "the lines about a failed and a rejected request redact it too",
  [
    route.post("/fail/:token", () => {
      throw new Error("broken");
    }),
    {
      method: "POST",
      path: "/reject/:otp",
      handler: endpoint({ body: dto({ name: string("required") }) }, () => null),
    },
  ],
  async (call, _, log) => {
    await call("POST", "/fail/hunter%2F2");
    await call("POST", "/reject/hunter2", { headers: { "content-type": "application/json" }, body: "{}" });
    assert.deepEqual(
      log.all.map(({ msg }) => String(msg)).filter((msg) => msg.startsWith("POST")),
      ["POST /fail/[redacted] failed", "POST /reject/[redacted]: the input was rejected"],
    );
    assert.ok(!JSON.stringify(log.all).includes("hunter"));
  },
  { middlewares: [accessLog()] },
);

test("a factory whose parentheses were forgotten does not compile as a middleware", () => {
  // @ts-expect-error accessLog makes a middleware, it is none
  const log: ApiOptions = { middlewares: [accessLog] };
  // @ts-expect-error likewise
  const id: ApiOptions = { middlewares: [requestId] };
  assert.deepEqual([log.middlewares, id.middlewares], [[accessLog], [requestId]]);
});
