import assert from "node:assert/strict";
import { type Context, HttpError, type MiddlewareFunction, route } from "@tenon/core";
import { cors, requestId } from "@tenon/core/middleware";
import { initTRPC, TRPCError } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import { createSchema, createYoga } from "graphql-yoga";
import { type Call, testOnBothTransports } from "../support/transports.ts";

const json = { "content-type": "application/json" };

async function* count(): AsyncGenerator<{ readonly count: number }> {
  for (let number = 1; number <= 3; number++) yield { count: number };
}

const yoga = createYoga({
  logging: false,
  schema: createSchema({
    typeDefs:
      "type Query { hello(name: String): String! } type Mutation { double(n: Int!): Int! } type Subscription { count: Int! }",
    resolvers: {
      Query: { hello: (_, { name }) => `Hello ${name}` },
      Mutation: { double: (_, { n }) => 2 * n },
      Subscription: { count: { subscribe: count } },
    },
  }),
});
const guarded = createYoga<{ readonly user: string }>({
  logging: false,
  graphqlEndpoint: "/guarded",
  schema: createSchema({
    typeDefs: "type Query { user: String! }",
    resolvers: { Query: { user: (_, __, { user }) => user } },
  }),
});
const requireKey: MiddlewareFunction = (ctx, next) => {
  if (ctx.header("x-key") === "") throw new HttpError(401, "Unauthorized");
  ctx.set("name", ctx.header("x-key"));
  return next();
};

testOnBothTransports(
  "GraphQL Yoga: queries, mutations, GraphiQL and subscriptions, behind a guard",
  [
    route.mount("/graphql", yoga.fetch),
    route.mount("/guarded", { middlewares: [requireKey] }, (request, ctx) =>
      guarded.fetch(request, { user: String(ctx.get("name")) }),
    ),
  ],
  async (call) => {
    const post = (query: string) =>
      call("POST", "/graphql", { headers: json, body: JSON.stringify({ query }) }).then((response) => response.json());
    assert.deepEqual(await post('{ hello(name: "Ada") }'), { data: { hello: "Hello Ada" } });
    assert.deepEqual(await post("mutation { double(n: 4) }"), { data: { double: 8 } });
    const query = encodeURIComponent("query Q($n: String) { hello(name: $n) }");
    const found = await call("GET", `/graphql?query=${query}&variables=${encodeURIComponent('{"n":"é"}')}`);
    assert.deepEqual(await found.json(), { data: { hello: "Hello é" } });
    const page = await call("GET", "/graphql", { headers: { accept: "text/html" } });
    assert.match(await page.text(), /<!doctype html>/i);
    const events = await call("POST", "/graphql", {
      headers: { ...json, accept: "text/event-stream" },
      body: JSON.stringify({ query: "subscription { count }" }),
    });
    assert.equal((await events.text()).match(/"count":\d/g)?.join(), '"count":1,"count":2,"count":3');
    const large = await call("POST", "/graphql", { headers: json, body: new Blob(["x".repeat(3000)]) });
    assert.equal(large.status, 413);
    const user = (key: string) => call("GET", "/guarded?query={user}", { headers: { "x-key": key } });
    assert.deepEqual(await (await user("ada")).json(), { data: { user: "ada" } });
    assert.equal((await user("")).status, 401);
  },
  { limits: { body: 2000 } },
);

const trpc = initTRPC.context<{ readonly name: string | undefined }>().create();
const router = trpc.router({
  greet: trpc.procedure
    .input((value: unknown) => String(value))
    .query(({ input, ctx }) => `Hello ${input}${ctx.name ?? ""}`),
  add: trpc.procedure
    .input((value: unknown) => value as { readonly a: number; readonly b: number }) // the test sends it
    .mutation(({ input }) => input.a + input.b),
  fail: trpc.procedure.query(() => {
    throw new TRPCError({ code: "NOT_FOUND", message: "none" });
  }),
});
const serveTrpc = (req: Request, ctx: Context) => {
  const name = ctx.header("x-key") || undefined;
  return fetchRequestHandler({ endpoint: "/api/trpc", req, router, createContext: () => ({ name }) });
};

testOnBothTransports(
  "tRPC: queries, batches, mutations and errors",
  [route.under("/api").mount("/trpc", { access: "public" }, serveTrpc)],
  async (call) => {
    const get = async (path: string) => (await call("GET", path, { headers: { "x-key": "!" } })).json();
    assert.deepEqual(await get("/api/trpc/greet?input=%22Ada%22"), { result: { data: "Hello Ada!" } });
    const input = encodeURIComponent(JSON.stringify({ 0: "a", 1: "b" }));
    assert.deepEqual(await get(`/api/trpc/greet,greet?batch=1&input=${input}`), [
      { result: { data: "Hello a!" } },
      { result: { data: "Hello b!" } },
    ]);
    const added = await call("POST", "/api/trpc/add", { headers: json, body: '{"a":1,"b":2}' });
    assert.deepEqual(await added.json(), { result: { data: 3 } });
    assert.equal((await call("GET", "/api/trpc/fail")).status, 404);
    assert.equal((await call("GET", "/api/trpcs/greet")).status, 404);
  },
);

const auth = betterAuth({
  database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
  baseURL: "http://localhost",
  secret: "a secret of thirty-two characters",
  trustedOrigins: ["http://localhost"],
  emailAndPassword: { enabled: true },
  telemetry: { enabled: false },
  logger: { disabled: true },
});

testOnBothTransports(
  "better-auth: registration, session cookies and logout",
  [
    route.mount("/api/auth", auth.handler),
    route.get("/me", async (ctx) => {
      const session = await auth.api.getSession({ headers: ctx.request().toWebRequest().headers });
      return session === null ? ctx.status(401).json(null) : { name: session.user.name };
    }),
  ],
  async (call: Call) => {
    const email = `${crypto.randomUUID()}@example.org`;
    const origin = "http://localhost";
    const post = (path: string, cookie: string, body: object) => {
      return call("POST", `/api/auth${path}`, { headers: { ...json, origin, cookie }, body: JSON.stringify(body) });
    };
    const created = await post("/sign-up/email", "", { name: "Ada", email, password: "a long password" });
    assert.equal(created.status, 200, await created.clone().text());
    const cookie = created.headers
      .getSetCookie()
      .map((text) => text.split(";")[0])
      .join("; ");
    assert.match(cookie, /session_token=/);
    assert.match(created.headers.get("x-request-id") ?? "", /./);
    const session = await call("GET", "/api/auth/get-session", { headers: { cookie } });
    assert.equal(((await session.json()) as { user: { email: string } }).user.email, email);
    assert.deepEqual(await (await call("GET", "/me", { headers: { cookie } })).json(), { name: "Ada" });
    assert.equal((await post("/sign-in/email", "", { email, password: "another password" })).status, 401);
    const out = await post("/sign-out", cookie, {});
    assert.ok(out.headers.getSetCookie().length > 1, "several cookies are cleared");
    assert.equal((await call("GET", "/me", { headers: { cookie } })).status, 401);
    assert.equal((await call("GET", "/api/auth/unknown")).status, 404);
  },
  { middlewares: [requestId(), cors({ origins: ["http://localhost"] })] },
);
