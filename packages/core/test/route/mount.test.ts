import assert from "node:assert/strict";
import { test } from "node:test";
import { type Context, HttpError, type MiddlewareFunction, type Route, route } from "@tenon/core";
import { bodyLimit, cors, requestId } from "@tenon/core/middleware";
import { request } from "../support/gate.ts";
import { startError } from "../support/start-error.ts";
import { moduleOf, testOnBothTransports } from "../support/transports.ts";
import { testOnWire } from "../support/wire.ts";

/** Says what it was asked. */
async function echo(request: Request): Promise<Response> {
  const { pathname, search, searchParams } = new URL(request.url);
  const body = request.body === null ? null : await request.text();
  const header = request.headers.get("x-a");
  return Response.json({ method: request.method, pathname, search, all: searchParams.getAll("a"), header, body });
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

testOnBothTransports(
  "a mount serves its path and what is below it with every method, the URL unchanged",
  [route.mount("/graphql", echo)],
  async (call) => {
    for (const path of ["/graphql", "/graphql/", "/graphql/x", "/graphql/x//%2f%c3%a9/y.", "/%67raphql/;a=1"]) {
      for (const method of methods) {
        const body = method === "GET" ? null : "text";
        const response = await call(method, `${path}?a=1&a=2&b=%20+`, { body, headers: { "x-a": "one" } });
        assert.equal(response.status, 200, `${method} ${path}`);
        const seen = { method, pathname: path, search: "?a=1&a=2&b=%20+", all: ["1", "2"], header: "one", body };
        assert.deepEqual(await response.json(), seen);
      }
    }
    const head = await call("HEAD", "/graphql/x");
    assert.deepEqual([head.status, head.headers.get("content-type"), await head.text()], [200, "application/json", ""]);
    for (const path of ["/graphqlx", "/graph", "/", "/x/graphql"]) assert.equal((await call("GET", path)).status, 404);
  },
);

testOnBothTransports(
  "a mount at / serves what no other route does, and exact routes inside a mount win",
  [
    route.mount("/", () => new Response("root")),
    route.mount("/app", () => new Response("mounted")),
    route.get("/app/own", () => "own"),
    route.get("/app/:id/edit", (ctx) => ctx.param("id")),
  ],
  async (call) => {
    const bodies = { "/": "root", "/a/b": "root", "/app": "mounted", "/app/x": "mounted", "/app/own": '"own"' };
    for (const [path, body] of Object.entries({ ...bodies, "/app/7/edit": '"7"', "/app/own/x": "mounted" })) {
      assert.equal(await (await call("GET", path)).text(), body, path);
    }
    assert.equal(await (await call("POST", "/app/own")).text(), "mounted", "another method");
  },
);

const guard: MiddlewareFunction = (ctx, next) => {
  if (ctx.header("x-key") === "") throw new HttpError(401, "Unauthorized");
  ctx.set("name", ctx.header("x-key"));
  return next();
};
const order: string[] = [];
const note =
  (name: string): MiddlewareFunction =>
  (_, next) => {
    order.push(name);
    return next();
  };
const tenants = route.under("/t/:tenant", { middlewares: [guard], errors: { 404: "No tenant" }, tags: ["Tenants"] });

testOnBothTransports(
  "a mount has the guards of its groups and its own, the parameters of its path, and the context for what guards set",
  [
    tenants.mount("/app", { middlewares: [note("own")] }, (_, ctx) => {
      const [tenant, rest, name] = [ctx.param("tenant"), ctx.rest(), ctx.get("name")];
      return Response.json({ tenant, rest, name }, { status: 404 });
    }),
  ],
  async (call, app, log) => {
    order.length = 0;
    assert.equal((await call("POST", "/t/1/app/x")).status, 401);
    assert.deepEqual(order, []);
    const response = await call("POST", "/t/1/app/x/y%2fz", { headers: { "x-key": "ada" } });
    assert.deepEqual(await response.json(), { tenant: "1", rest: ["x", "y/z"], name: "ada" });
    assert.equal(response.status, 404, "the errors of a group are not those of the fetch handler");
    assert.deepEqual([order, log.messages("error")], [["own"], []]);
    assert.deepEqual(Object.keys((await app.openapi()).paths ?? {}), [], "no document describes it");
    assert.equal(app.routes.list().length, 12);
  },
);

testOnBothTransports(
  "cookies survive, and headers that middlewares set apply",
  [
    route.mount("/auth", () => {
      const headers = new Headers({ "content-type": "text/plain", "x-b": "2" });
      for (const cookie of ["a=1; Path=/", "b=2; HttpOnly"]) headers.append("set-cookie", cookie);
      return new Response("in", { status: 201, headers });
    }),
  ],
  async (call) => {
    const response = await call("POST", "/auth/login", { headers: { origin: "https://a.example" } });
    assert.deepEqual([response.status, await response.text(), response.headers.get("x-b")], [201, "in", "2"]);
    assert.deepEqual(response.headers.getSetCookie(), ["mw=1", "a=1; Path=/", "b=2; HttpOnly"]);
    assert.equal(response.headers.get("access-control-allow-origin"), "https://a.example");
    assert.match(response.headers.get("x-request-id") ?? "", /./);
    const preflight = { origin: "https://a.example", "access-control-request-method": "PUT" };
    assert.equal((await call("OPTIONS", "/auth/login", { headers: preflight })).status, 204);
  },
  {
    middlewares: [
      requestId(),
      cors({ origins: ["https://a.example"] }),
      (ctx, next) => {
        ctx.response().addHeader("set-cookie", "mw=1");
        return next();
      },
    ],
  },
);

/** Turns every error into a response of its own, as libraries do. */
const swallowing = (request: Request) =>
  request.text().then(
    (text) => new Response(String(text.length)),
    () => new Response("swallowed", { status: 200 }),
  );

testOnBothTransports(
  "the limits of a body apply, and decide on the response",
  [
    route.mount("/all", swallowing),
    route.mount("/small", { middlewares: [bodyLimit(3)] }, swallowing),
    route.mount("/throwing", async (request) => new Response(await request.text())),
  ],
  async (call) => {
    const of = async (path: string, size: number) =>
      (await call("POST", path, { body: new Blob(["x".repeat(size)]) })).status;
    assert.deepEqual([await of("/all", 10), await of("/all", 11)], [200, 413]);
    assert.deepEqual([await of("/small/x", 3), await of("/small/x", 4)], [200, 413]);
    assert.equal(await of("/throwing", 11), 413);
  },
  { limits: { body: 10 } },
);

const early: MiddlewareFunction = async (ctx, next) => {
  await ctx.request().body();
  return next();
};
let late: unknown;
testOnBothTransports(
  "a body has one reader: after another one a mount is a 500 that says so, and after a mount nothing else reads it",
  [
    route.mount("/read", { middlewares: [early] }, echo),
    route.mount("/twice", async (_, ctx) => echo(ctx.request().toWebRequest())),
    route.mount("/late", async (_, ctx) => {
      late = await ctx
        .request()
        .body()
        .catch((error: unknown) => error);
      return new Response("late");
    }),
  ],
  async (call, _, log) => {
    for (const path of ["/read", "/twice"]) {
      assert.equal((await call("POST", path, { body: "x" })).status, 500);
      assert.equal((await call("GET", path)).status, 200, "a request that has no body");
      assert.match(log.causes().at(-1) ?? "", /^toWebRequest\(\): the body was already read/);
    }
    assert.equal(await (await call("POST", "/late", { body: "x" })).text(), "late");
    assert.equal((late as HttpError).status, 500);
  },
);

const post = (path: string, headers: string, body = "") =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n${body}`;
for (const engine of ["wire", "node"] as const) {
  const first = Promise.withResolvers<string>();
  const started = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  testOnWire(
    `${engine}: a body is streamed, one that is not read costs nothing, and the signal is that of the connection`,
    [
      route.mount("/stream", async (request) => {
        const reader = (request.body as ReadableStream<Uint8Array>).getReader();
        first.resolve(String((await reader.read()).value));
        const rest = await reader.read();
        return new Response(rest.value as Uint8Array<ArrayBuffer>);
      }),
      route.mount("/unread", () => new Response("unread")),
      route.mount("/left", async (request) => {
        request.signal.addEventListener("abort", () => aborted.resolve());
        started.resolve();
        await aborted.promise;
        return new Response("not read");
      }),
    ],
    async ({ connect }) => {
      const client = connect().send(post("/stream", "Content-Length: 6\r\n", "one"));
      assert.equal(await first.promise, "one");
      client.send("two");
      assert.equal((await client.responses(1))[0]?.body, "two");
      client.send(post("/unread", "Content-Length: 3\r\n", "abc") + request("/unread"));
      assert.deepEqual(
        (await client.responses(3)).map(({ body }) => body),
        ["two", "unread", "unread"],
      );
      const leaving = connect().send(request("/left"));
      await started.promise;
      leaving.socket.destroy();
      await aborted.promise;
    },
    { engine },
  );
}

let handled = 0;
testOnWire(
  "a path that a URL would change is 400 and does not reach the fetch handler",
  [
    route.mount("/m", (request) => {
      handled++;
      return new Response(request.url);
    }),
  ],
  async ({ send, untilClosed }) => {
    for (const path of ["/m/a\\b", "/m\\..\\admin", '/m/"a"', "/m/{id}", "/m/<a>", "/m/`", "/m/./a", "/m/%2e%2e/a"]) {
      const { status } = await send(request(path));
      assert.ok(status === 400 || status === 404, `${path}: ${status}`);
    }
    assert.equal(handled, 0);
    const { body } = await send(request("/m//a/..b/%5C%2F%7b:@!$&'()*+,;=|~?q='\"{}\\#x"));
    assert.equal(body, "http://localhost/m//a/..b/%5C%2F%7b:@!$&'()*+,;=|~?q=%27%22{}\\");
    const [old] = await untilClosed("GET /m HTTP/1.0\r\n\r\n");
    assert.deepEqual([old?.status, old?.body], [200, "http://localhost/m"], "without Host");
  },
);

test("a mount is a plain group, which refuses what no mount has", async () => {
  const handler = () => new Response("a");
  const { children, ...group } = route.mount("a", { middlewares: [guard] }, handler);
  assert.deepEqual(group, { path: "a", middlewares: [guard] });
  const isRoute = ({ method, path, handler }: Route) => method !== undefined && path !== "" && handler !== undefined;
  assert.ok(children?.every((child) => Object.keys(child).length === 3 && isRoute(child)));
  const misspelt = { middleware: [guard] } as object; // as in plain JavaScript
  const { message } = await startError(moduleOf([route.mount("/a", misspelt, handler)]));
  assert.match(message, /unknown key/);
});

/** What the compiler refuses. */
export function wrongUses(): Route[] {
  return [
    // @ts-expect-error the path has no such parameter
    route.mount("/a/:id", (_, ctx) => new Response(ctx.param("slug"))),
    // @ts-expect-error a fetch handler returns a Response
    route.mount("/a", () => "text"),
    // @ts-expect-error a mount is in no document
    route.mount("/a", { summary: "A" }, () => new Response()),
    // @ts-expect-error no errors are declared
    route.mount("/a", (_, ctx) => ctx.fail(404)),
    route.mount("/a", (_, ctx: Context) => new Response(ctx.param("any"))),
  ];
}
