import assert from "node:assert/strict";
import { test } from "node:test";
import { api, HttpError, type Routes, route, StartError } from "@tenon/core";
import { type CorsOptions, cors } from "@tenon/core/middleware";
import { createTestApp } from "@tenon/core/testing";
import { moduleOf, testOnBothTransports } from "../support/transports.ts";

const routes: Routes = [
  { method: "GET", path: "/posts", handler: () => ({ ok: true }) },
  route.get("/teapot", () => {
    throw new HttpError(418, "I'm a teapot");
  }),
  route.get("/broken", () => {
    throw new Error("no");
  }),
  { method: "OPTIONS", path: "/posts", handler: () => ({ own: true }) },
];
const home = "https://app.example.com";
const evil = "https://evil.example";

function withCors(options?: CorsOptions) {
  return { middlewares: [cors(options)] };
}

function preflight(origin: string, headers: Record<string, string> = {}): RequestInit {
  return { headers: { origin, "access-control-request-method": "PUT", ...headers } };
}

testOnBothTransports(
  "by default any origin may read the responses, without credentials and without variants",
  routes,
  async (call) => {
    for (const headers of [{ origin: evil }, { origin: "null" }, {}] as Record<string, string>[]) {
      const res = await call("GET", "/posts", { headers });
      assert.equal(res.headers.get("access-control-allow-origin"), "*");
      assert.equal(res.headers.get("access-control-allow-credentials"), null);
      assert.equal(res.headers.get("vary"), null);
    }
  },
  withCors(),
);

testOnBothTransports(
  "a preflight gets 204, also without a route for it, before later middlewares run",
  routes,
  async (call) => {
    for (const path of ["/posts", "/nowhere"]) {
      const res = await call(
        "OPTIONS",
        path,
        preflight(home, { "access-control-request-headers": "x-a,content-type" }),
      );
      assert.equal(res.status, 204);
      assert.equal(await res.text(), "");
      assert.equal(res.headers.get("access-control-allow-origin"), "*");
      assert.equal(res.headers.get("access-control-allow-methods"), "GET, HEAD, POST, PUT, PATCH, DELETE");
      assert.equal(res.headers.get("access-control-allow-headers"), "x-a,content-type");
      assert.equal(res.headers.get("vary"), "Access-Control-Request-Headers");
      assert.equal(res.headers.get("access-control-max-age"), null);
    }
  },
  {
    middlewares: [
      cors(),
      () => {
        throw new HttpError(401, "Missing authorization header");
      },
    ],
  },
);

testOnBothTransports(
  "an OPTIONS request that is not a preflight goes on to its route",
  routes,
  async (call) => {
    for (const headers of [{}, { origin: home }, { "access-control-request-method": "GET" }] as Record<
      string,
      string
    >[]) {
      const res = await call("OPTIONS", "/posts", { headers });
      assert.equal(res.status, 200);
      assert.deepEqual(await res.json(), { own: true });
    }
  },
  withCors(),
);

testOnBothTransports(
  "the response to a preflight follows the options",
  routes,
  async (call) => {
    const asked = { "access-control-request-headers": "x-other" };
    const res = await call("OPTIONS", "/posts", preflight(home, asked));
    assert.equal(res.headers.get("access-control-allow-methods"), "GET, PUT");
    assert.equal(res.headers.get("access-control-allow-headers"), "x-token, content-type");
    assert.equal(res.headers.get("access-control-max-age"), "600");
    assert.equal(res.headers.get("access-control-allow-credentials"), "true");
    assert.equal(res.headers.get("access-control-expose-headers"), null);
    assert.equal(res.headers.get("vary"), "Origin");
    const read = await call("GET", "/posts", { headers: { origin: home } });
    assert.equal(read.headers.get("access-control-expose-headers"), "x-total, link");
    assert.equal(read.headers.get("access-control-allow-methods"), null);
  },
  withCors({
    origins: [home],
    methods: ["GET", "PUT"],
    headers: ["x-token", "content-type"],
    exposedHeaders: ["x-total", "link"],
    credentials: true,
    maxAge: 600,
  }),
);

testOnBothTransports(
  "a function decides about origins, but is not called for null or for what is not an origin",
  routes,
  async (call) => {
    const allowed = await call("GET", "/posts", { headers: { origin: home } });
    assert.equal(allowed.headers.get("access-control-allow-origin"), home);
    const others = [
      "https://b.example.org",
      "null",
      "app.example.com",
      "https://x.example.com/path",
      `${home}, ${home}`,
    ];
    for (const origin of others) {
      const res = await call("GET", "/posts", { headers: { origin } });
      assert.equal(res.headers.get("access-control-allow-origin"), null, origin);
      assert.equal(res.headers.get("vary"), "Origin");
    }
  },
  withCors({ origins: (origin) => !origin.endsWith(".org"), credentials: true }),
);

testOnBothTransports(
  "a function that throws gives 500 without a permission",
  routes,
  async (call) => {
    const res = await call("GET", "/posts", { headers: { origin: home } });
    assert.equal(res.status, 500);
    assert.equal(res.headers.get("access-control-allow-origin"), null);
    assert.equal(res.headers.get("vary"), "Origin");
  },
  withCors({
    origins: () => {
      throw new Error("no list today");
    },
  }),
);

testOnBothTransports(
  "the Vary of a request is never copied, that of a reply is kept (K6)",
  [
    route.get("/", (ctx) => {
      ctx.response().setHeader("vary", ctx.query("vary"));
      return 1;
    }),
  ],
  async (call) => {
    const res = await call("GET", "/?vary=Accept", { headers: { origin: home, vary: "X-Injected" } });
    assert.equal(res.headers.get("vary"), "Accept, Origin");
    const any = await call("GET", "/?vary=*", { headers: { origin: home } });
    assert.equal(any.headers.get("vary"), "*");
  },
  withCors({ origins: [home] }),
);

test('K6 CORS: origins "*" with credentials stops the start', () => {
  assert.throws(
    () => cors({ credentials: true }),
    (error) => {
      assert.ok(error instanceof StartError);
      assert.equal(error.problems[0]?.code, "BAD_OPTION");
      assert.match(error.message, /every session to every site. List the origins\.$/);
      return true;
    },
  );
});

test("options that cannot work stop the start", () => {
  const cases: unknown[] = [
    { origins: "https://a.example" },
    { origins: ["*"] },
    { origins: ["https://a.example/"] },
    { origins: ["https://A.example"] },
    { origins: ["https://a.example:443"] },
    { origins: ["a.example"] },
    { maxAge: -1 },
    { origin: [home] },
  ];
  for (const options of cases) {
    assert.throws(() => cors(options as CorsOptions), { name: "StartError" });
  }
  cors({ origins: ["capacitor://localhost", "http://localhost:5173", "http://[::1]:3000"] });
});

test("a megabyte of blanks in the header list of a preflight is read once and not sent back (B8)", async () => {
  // a split at /\s*,\s*/ would need minutes for it
  const app = await createTestApp(moduleOf(routes), api({ ...withCors(), limits: { headerBytes: 4_000_000 } }));
  try {
    for (const asked of [`x${" ".repeat(1_000_000)}y\u00ff`, `${"a,".repeat(500_000)}\u00ff`]) {
      const init = preflight(home, { "access-control-request-headers": asked });
      const res = await app.fetch(new Request("http://localhost/posts", { ...init, method: "OPTIONS" }));
      assert.equal(res.status, 204);
      assert.equal(res.headers.get("access-control-allow-headers"), null);
    }
  } finally {
    await app.stop();
  }
});
