import assert from "node:assert/strict";
import { type Context, HttpError } from "@tenon/core";
import { cors } from "@tenon/core/middleware";
import { testOnBothTransports } from "../support/transports.ts";

const home = "https://app.example.com";
const strangers = [
  "https://evil.example",
  "null",
  `${home}.evil.example`,
  `${home}:8443`,
  "http://app.example.com",
  home.toUpperCase(),
];

const routes = [
  {
    method: "GET" as const,
    path: "/",
    handler: (ctx: Context) => {
      // an unsafe handler that allows any origin
      ctx.response().setHeader("access-control-allow-origin", ctx.header("origin") || "*");
      ctx.response().setHeader("access-control-allow-credentials", "true");
      return "ok";
    },
  },
  { method: "GET" as const, path: "/refused", handler: () => Promise.reject(new HttpError(403, "Forbidden")) },
  { method: "GET" as const, path: "/broken", handler: () => Promise.reject(new Error("broken")) },
];

for (const [form, origins] of [
  ["a list", [home]],
  ["a function", (origin: string) => origin === home || origin === "null"],
] as const) {
  testOnBothTransports(
    `only listed origins are allowed, on every kind of response, with ${form} (K6, Hono CVE-2026-54290, h3 303fd86d)`,
    routes,
    async (call) => {
      const requests = [
        ["GET", "/"],
        ["GET", "/refused"],
        ["GET", "/broken"],
        ["GET", "/nowhere"],
        ["GET", "/%"],
        ["OPTIONS", "/"],
      ] as const;
      for (const [method, path] of requests) {
        for (const origin of [...strangers, home, ""]) {
          const given = { "access-control-request-method": "PUT", vary: "X-Evil", "access-control-allow-origin": "*" };
          const headers = origin === "" ? given : { ...given, origin };
          const response = await call(method, path, { headers });
          const allowed = origin === home;
          const what = `${method} ${path} from ${origin}`;
          assert.equal(response.headers.get("access-control-allow-origin"), allowed ? home : null, what);
          assert.equal(response.headers.get("access-control-allow-credentials"), allowed ? "true" : null, what);
          const vary = (response.headers.get("vary") ?? "").split(", ");
          assert.ok(vary.includes("Origin") && !vary.includes("X-Evil"), `${what}: Vary ${vary}`);
        }
      }
    },
    { middlewares: [cors({ origins, credentials: true })] },
  );
}
