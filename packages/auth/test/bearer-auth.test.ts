import assert from "node:assert/strict";
import { test } from "node:test";
import { BearerAuth, invalidToken, OptionalBearerAuth, Tokens } from "@tenon/auth";
import { type Context, dto, type Routes, string } from "@tenon/core";
import { testOnBothTransports, withAuth } from "./support/auth-app.ts";
import { mint } from "./support/jwt.ts";

class Notes {
  routes(): Routes {
    const middlewares = [BearerAuth];
    return [
      { method: "GET", path: "/me", handler: this.me, middlewares },
      { method: "GET", path: "/gone", handler: (ctx) => invalidToken(ctx), middlewares },
      { method: "GET", path: "/feed", handler: this.feed, middlewares: [OptionalBearerAuth] },
      { method: "POST", path: "/notes", handler: this.create, middlewares },
    ];
  }

  me(ctx: Context) {
    const names = ["user_id", "user_email", "user_role"] as const;
    return { values: Object.fromEntries(names.map((name) => [name, ctx.get(name)])) };
  }

  feed(ctx: Context) {
    return { reader: ctx.get("user_claims")?.user_id ?? null, user_id: ctx.get("user_id") ?? null };
  }

  async create(ctx: Context) {
    return ctx.bind(dto({ title: string("required") }));
  }
}
const setup = { declarations: [Notes] };
const ada = { id: "ada", email: "ada@example.com", role: "admin" };

testOnBothTransports("a request without a header gets 401 Missing authorization header", setup, async (ask) => {
  for (const headers of [{}, { authorization: "" }, { authorization: "  " }]) {
    const { status, body } = await ask("/me", headers);
    assert.deepEqual([status, body], [401, { error: "Missing authorization header" }]);
  }
});

testOnBothTransports(
  "the tutorial says Missing authorization, and only that message differs",
  { ...setup, auth: { missingAuthorization: "Missing authorization" } },
  async (ask) => {
    assert.deepEqual((await ask("/me")).body, { error: "Missing authorization" });
    assert.deepEqual((await ask("/me", { authorization: "x" })).body, { error: "Invalid authorization format" });
    assert.deepEqual((await ask("/me", { authorization: "Bearer x" })).body, { error: "Invalid token" });
  },
);

testOnBothTransports(
  "a header without the Bearer prefix gets 401 Invalid authorization format, even with a valid token",
  setup,
  async (ask, { app }) => {
    const token = await app.get(Tokens).issue(ada);
    const forms = ["Basic", "Token", "bearer", "BEARER", "Digest", "JWT", "DPoP", "Bearer:", "Bearer,"].map(
      (scheme) => `${scheme} ${token}`,
    );
    for (const authorization of [
      ...forms,
      token,
      `Bearer${token}`,
      `Bearer\t${token}`,
      "Bearer",
      `"Bearer ${token}"`,
    ]) {
      const { status, body } = await ask("/me", { authorization });
      assert.deepEqual([status, body], [401, { error: "Invalid authorization format" }], authorization);
    }
  },
);

testOnBothTransports("an invalid token gets 401 Invalid token", setup, async (ask, { app, clock }) => {
  const token = await app.get(Tokens).issue(ada);
  for (const bad of [
    "x",
    "a.b.c",
    ` ${token}`,
    `${token}x`,
    mint({ payload: { user_id: "ada", exp: clock.now() / 1000 } }),
  ]) {
    const { status, body } = await ask("/me", { authorization: `Bearer ${bad}` });
    assert.deepEqual([status, body], [401, { error: "Invalid token" }], bad);
  }
});

testOnBothTransports(
  "a valid token is accepted and sets user_id, user_email and user_role",
  setup,
  async (ask, { app, clock }) => {
    const authorization = `Bearer ${await app.get(Tokens).issue(ada)}`;
    const first = await ask("/me", { authorization });
    assert.equal(first.status, 200);
    assert.deepEqual(first.body, { values: { user_id: "ada", user_email: "ada@example.com", user_role: "admin" } });
    assert.deepEqual((await ask("/me", { authorization })).body, first.body, "from the cache");

    const bare = mint({ payload: { user_id: "bob", exp: clock.now() / 1000 + 1 } });
    assert.deepEqual((await ask("/me", { authorization: `Bearer ${bare}` })).body, {
      values: { user_id: "bob", user_email: "", user_role: "" },
    });
    clock.advance("86400s");
    assert.deepEqual((await ask("/me", { authorization })).body, { error: "Invalid token" });
  },
);

testOnBothTransports(
  "the tutorial sets only user_id and user_email",
  { ...setup, auth: { claims: "short" } },
  async (ask, { clock }) => {
    const payload = { user_id: "ada", email: "ada@example.com", role: "admin", exp: clock.now() / 1000 + 60 };
    const { body } = await ask("/me", { authorization: `Bearer ${mint({ payload })}` });
    assert.deepEqual(body, { values: { user_id: "ada", user_email: "ada@example.com" } });
  },
);

testOnBothTransports("the guard rejects before the body is read", setup, async (ask, { app }) => {
  const bad: RequestInit = { method: "POST", body: "{ not json" };
  const type = { "content-type": "application/json" };
  assert.equal((await ask("/notes", type, bad)).status, 401);
  assert.equal((await ask("/notes", { ...type, authorization: "Bearer x" }, bad)).status, 401);
  const authorization = `Bearer ${await app.get(Tokens).issue(ada)}`;
  assert.equal((await ask("/notes", { ...type, authorization }, bad)).status, 400);
});

test("HEAD runs the same guard", () =>
  withAuth(setup, async ({ app }) => {
    assert.equal((await app.request("HEAD", "/me")).status, 401);
    const authorization = `Bearer ${await app.get(Tokens).issue(ada)}`;
    assert.equal((await app.request("HEAD", "/me", { headers: { authorization } })).status, 200);
  }));

testOnBothTransports(
  "a 401 names the scheme in WWW-Authenticate, and invalid_token when there was one",
  setup,
  async (ask, { app }) => {
    const challenge = async (authorization: string) =>
      (await ask("/me", { authorization })).headers.get("www-authenticate");
    assert.equal(await challenge(""), "Bearer");
    assert.equal(await challenge("Basic x"), "Bearer");
    assert.equal(await challenge("Bearer x"), 'Bearer error="invalid_token"');
    assert.equal(await challenge(`Bearer ${await app.get(Tokens).issue(ada)}`), null);
  },
);

testOnBothTransports(
  "another scheme takes the place of Bearer in requests and challenges",
  { ...setup, auth: { scheme: "Token" } },
  async (ask, { app }) => {
    const token = await app.get(Tokens).issue(ada);
    const ok = await ask("/me", { authorization: `Token ${token}` });
    assert.deepEqual(ok.body, { values: { user_id: "ada", user_email: ada.email, user_role: "admin" } });
    for (const [authorization, error, challenge] of [
      ["", "Missing authorization header", "Token"],
      [`Bearer ${token}`, "Invalid authorization format", "Token"],
      ["Token x", "Invalid token", 'Token error="invalid_token"'],
    ] as const) {
      const { status, body, headers } = await ask("/me", { authorization });
      assert.deepEqual([status, body, headers.get("www-authenticate")], [401, { error }, challenge]);
    }
    const gone = await ask("/gone", { authorization: `Token ${token}` });
    assert.deepEqual([gone.status, gone.headers.get("www-authenticate")], [401, 'Token error="invalid_token"']);
  },
);

testOnBothTransports(
  "the optional guard lets guests pass and refuses a bad token",
  { ...setup, auth: { scheme: "Token" } },
  async (ask, { app }) => {
    const authorization = `Token ${await app.get(Tokens).issue(ada)}`;
    assert.deepEqual((await ask("/feed")).body, { reader: null, user_id: null });
    for (let time = 0; time < 2; time++) {
      assert.deepEqual((await ask("/feed", { authorization })).body, { reader: "ada", user_id: null });
    }
    for (const [bad, error] of [
      ["Basic x", "Invalid authorization format"],
      ["Token x", "Invalid token"],
    ] as const) {
      const { status, body } = await ask("/feed", { authorization: bad });
      assert.deepEqual([status, body], [401, { error }]);
    }
  },
);
