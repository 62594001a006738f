import assert from "node:assert/strict";
import { test } from "node:test";
import {
  api,
  createApp,
  dto,
  type ErrorFormat,
  endpoint,
  errorFormat,
  HttpError,
  integer,
  type Routes,
  route,
  string,
} from "@tenon/core";
import { LogLines } from "../support/log-lines.ts";
import { sendRaw } from "../support/raw-socket.ts";
import { moduleOf, testOnBothTransports } from "../support/transports.ts";

const routes: Routes = [
  { method: "POST", path: "/posts", handler: (ctx) => ctx.bind(dto({ title: string("required"), count: integer() })) },
  route.get("/thrown", () => {
    throw new HttpError(409, "Taken", { headers: { "x-reason": "taken" } });
  }),
  route.get("/returned", (ctx) => {
    ctx.response().setHeader("www-authenticate", "Bearer");
    return { error: "Not yours", status: 403 };
  }),
  { method: "GET", path: "/data", handler: (ctx) => ctx.status(404).json({ error: "Gone" }) },
  route.get("/crash", () => {
    throw new Error("secret");
  }),
];

const posted = { headers: { "content-type": "application/json" }, body: '{"count":"secret"}' };

testOnBothTransports(
  "the format `issues` adds what is wrong with rejected input, without its values",
  routes,
  async (call) => {
    const response = await call("POST", "/posts", posted);
    assert.deepEqual(await response.json(), {
      error: "Invalid request",
      issues: [
        { path: "title", rule: "required", message: "is required" },
        { path: "count", rule: "integer", message: "must be a whole number" },
      ],
    });
    assert.deepEqual(await (await call("GET", "/thrown")).json(), { error: "Taken" });
  },
  { errors: "issues" },
);

const problem = (title: string, status: number, detail: string) => ({ type: "about:blank", title, status, detail });

testOnBothTransports(
  "the format `problem` follows RFC 9457 for every error",
  routes,
  async (call) => {
    const cases: [path: string, body: object][] = [
      ["/thrown", problem("Conflict", 409, "Taken")],
      ["/returned", problem("Forbidden", 403, "Not yours")],
      ["/missing", problem("Not Found", 404, "Not Found")],
      ["/crash", problem("Internal Server Error", 500, "Internal Server Error")],
    ];
    for (const [path, body] of cases) {
      const response = await call("GET", path);
      assert.equal(response.headers.get("content-type"), "application/problem+json", path);
      assert.deepEqual(await response.json(), body);
    }
    assert.equal((await call("GET", "/thrown")).headers.get("x-reason"), "taken");
    assert.equal((await call("GET", "/returned")).headers.get("www-authenticate"), "Bearer");
    const rejected = (await (await call("POST", "/posts", posted)).json()) as { issues: unknown[] };
    assert.equal(rejected.issues.length, 2);
    const own = await call("GET", "/data");
    assert.deepEqual([own.status, await own.json()], [404, { error: "Gone" }], "a reply is data");
  },
  { errors: "problem" },
);

const shouting: ErrorFormat = {
  type: "application/vnd.shout+json",
  toBody: ({ status, message }) => ({ status, shout: message.toUpperCase() }),
  toSchema: () => ({ type: "object" }),
};

test("the server responds in the plain format when the application's format fails", async () => {
  const toBody = () => {
    throw new Error("broken");
  };
  const app = await createApp(moduleOf(routes), api({ errors: { ...shouting, toBody } }), { log: { level: "silent" } });
  try {
    const { port } = await app.listen({ port: 0, signals: false });
    const { text } = await sendRaw(port, "GET / HTTP/1.1\r\nbad header\r\n\r\n");
    assert.match(text, /^HTTP\/1\.1 400 [\s\S]*application\/json[\s\S]*\r\n\r\n\{"error":"Bad Request"\}$/);
  } finally {
    await app.stop();
  }
});

test("the server writes its own errors in the application's format", async () => {
  const app = await createApp(moduleOf(routes), api({ errors: shouting, middlewares: [] }), {
    log: { level: "silent" },
  });
  try {
    const { port } = await app.listen({ port: 0, signals: false });
    for (const [bytes, status, text] of [
      ["GET / HTTP/1.1\r\nbad header\r\n\r\n", 400, "BAD REQUEST"],
      ["GET http:// HTTP/1.1\r\nhost: a\r\n\r\n", 400, "BAD REQUEST"],
      ["GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n", 400, "BAD REQUEST"],
    ] as const) {
      const { text: response } = await sendRaw(port, bytes);
      assert.match(response, /content-type: application\/vnd\.shout\+json\r\n/i, bytes);
      assert.ok(response.endsWith(JSON.stringify({ status, shout: text })), response);
    }
  } finally {
    await app.stop();
  }
  const stopped = await app.fetch(new Request("http://localhost/"));
  const { shout } = (await stopped.json()) as { shout: string };
  assert.deepEqual([stopped.headers.get("content-type"), shout], [shouting.type, "SERVICE UNAVAILABLE"]);
});

testOnBothTransports(
  "a format that fails leaves a plain 500, and the server alive",
  routes,
  async (call, _, log) => {
    const response = await call("GET", "/thrown");
    assert.deepEqual([response.status, await response.json()], [500, { error: "Internal Server Error" }]);
    assert.ok(log.messages("error").includes("the error response could not be made"));
    assert.equal((await call("GET", "/returned")).status, 500);
  },
  {
    errors: {
      ...shouting,
      toBody: () => {
        throw new Error("broken format");
      },
    },
  },
);

test("rejected input is logged at `info` outside production, at `debug` in it", async () => {
  const before = process.env.NODE_ENV;
  for (const [environment, level] of [
    ["development", "info"],
    ["production", "debug"],
  ] as const) {
    process.env.NODE_ENV = environment;
    const log = new LogLines();
    const app = await createApp(moduleOf(routes), api(), { log: log.options });
    process.env.NODE_ENV = before;
    await app.fetch(new Request("http://localhost/posts", { method: "POST", ...posted }));
    const line = log.all.find(({ msg }) => msg === "POST /posts: the input was rejected");
    assert.equal(line?.level, level);
    assert.deepEqual(line?.issues, [
      { path: "title", rule: "required", message: "is required" },
      { path: "count", rule: "integer", message: "must be a whole number" },
    ]);
    await app.stop();
  }
});

const CreatePost = dto({ title: string("required") });
const declared: Routes = [
  {
    method: "POST",
    path: "/posts",
    handler: endpoint({ body: CreatePost, returns: CreatePost }, (_, { body }) => body),
  },
];

testOnBothTransports(
  "rejected input has the status of the format, a malformed request keeps 400",
  declared,
  async (call, _, log) => {
    const rejected = await call("POST", "/posts", { ...posted, body: "{}" });
    assert.deepEqual(
      [rejected.status, await rejected.json()],
      [
        422,
        {
          type: "about:blank",
          title: "Unprocessable Entity",
          status: 422,
          detail: "Invalid request",
          issues: [{ in: "body", path: "title", rule: "required", message: "is required" }],
        },
      ],
    );
    assert.equal((await call("POST", "/posts", { ...posted, body: '{"title":' })).status, 422);
    assert.equal((await call("POST", "/%00", posted)).status, 400);
    assert.deepEqual(log.messages("error"), []); // the contract check expects 422 too
  },
  { errors: errorFormat("problem", { rejectedStatus: 422 }) },
);

testOnBothTransports(
  "a body that is not JSON can have a status of its own",
  routes,
  async (call, _, log) => {
    const statusOf = async (body: string) => (await call("POST", "/posts", { ...posted, body })).status;
    assert.deepEqual([await statusOf('{"title":'), await statusOf("{}")], [400, 422]);
    assert.deepEqual(log.messages("error"), []); // the contract check expects both
  },
  { errors: errorFormat("issues", { rejectedStatus: 422, malformedStatus: 400 }) },
);
