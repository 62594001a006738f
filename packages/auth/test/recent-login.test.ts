import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ApiKeyAuth,
  ApiKeys,
  BearerAuth,
  Logins,
  RecentLogin,
  RecentLogins,
  SessionAuth,
  Sessions,
  Tokens,
} from "@tenon/auth";
import { type Context, inject, type Routes } from "@tenon/core";
import { keyValues } from "../../data/test/support/stores.ts";
import { type AuthApp, withAuth } from "./support/auth-app.ts";

const [session, token, key] = ["/session", "/token", "/key"];

class Account {
  readonly #recent = inject(RecentLogins);
  readonly #tokens = inject(Tokens);

  routes(): Routes {
    return [
      ...(
        [
          [session, SessionAuth],
          [token, BearerAuth],
          [key, ApiKeyAuth],
        ] as const
      ).flatMap(
        ([path, guard]): Routes => [
          { method: "GET", path, handler: (ctx: Context) => ctx.get("user_id"), middlewares: [guard, RecentLogin] },
          { method: "POST", path, handler: (ctx: Context) => this.#recent.confirm(ctx), middlewares: [guard] },
        ],
      ),
      { method: "GET", path: "/open", handler: () => "never", middlewares: [RecentLogin] },
      { method: "POST", path: "/login/:id", handler: (ctx: Context) => this.#tokens.issue(user(ctx.param("id")), ctx) },
    ];
  }
}

const user = (id: string) => ({ id, email: `${id}@example.com`, role: "user" });

type Headers = Readonly<Record<string, string>>;

function run(
  name: string,
  body: (ask: (method: string, path: string, headers: Headers) => Promise<number>, parts: AuthApp) => Promise<void>,
): void {
  for (const adapter of keyValues) {
    test(`${name} (${adapter.name})`, () =>
      adapter.with((data) =>
        withAuth({ data, declarations: [Account] }, (parts) =>
          body(async (method, path, headers) => {
            const response = await parts.app.fetch(new Request(`http://localhost${path}`, { method, headers }));
            const text = await response.text();
            if (response.status === 403) assert.equal(text, '{"error":"Recent login required"}');
            return response.status;
          }, parts),
        ),
      ));
  }
}

run("a session is recent for 10 minutes after its login and after each confirmation", async (ask, { app, clock }) => {
  const headers = { cookie: `session_id=${await app.get(Sessions).create("ada")}` };
  for (let round = 0; round < 2; round++) {
    assert.equal(await ask("GET", session, headers), 200);
    clock.advance("599s");
    assert.equal(await ask("GET", session, headers), 200);
    clock.advance("1s");
    assert.equal(await ask("GET", session, headers), 403);
    assert.equal(await ask("POST", session, headers), 204);
  }
});

run(
  "a token is recent only after a confirmation, and other tokens of the user are not",
  async (ask, { app, clock }) => {
    const ada = crypto.randomUUID();
    const bearer = async () => ({ authorization: `Bearer ${await app.get(Tokens).issue(user(ada))}` });
    const headers = await bearer();
    clock.advance("1s");
    const other = await bearer();
    assert.equal(await ask("GET", token, headers), 403);
    await ask("POST", token, headers);
    assert.deepEqual([await ask("GET", token, headers), await ask("GET", token, other)], [200, 403]);
    await app.get(Logins).endAll(ada);
    assert.equal(await ask("GET", token, headers), 403, "the confirmation ends with the logins");
  },
);

for (const endTokens of [false, true]) {
  test(`a token of a login is recent for 10 minutes, a refreshed one is not (endTokens: ${endTokens})`, () =>
    withAuth({ declarations: [Account], auth: { endTokens } }, async ({ app, clock }) => {
      const logIn = async (id: string) => String(await (await app.request("POST", `/login/${id}`)).json());
      const ask = async (issued: string) =>
        (await app.request("GET", token, { headers: { authorization: `Bearer ${issued}` } })).status;
      const ada = await logIn("ada");
      clock.advance("599s");
      assert.equal(await ask(ada), 200);
      clock.advance("1s");
      assert.equal(await ask(ada), 403);
      assert.equal(await ask(await app.get(Tokens).issue(user("ada"), "")), 403, "as after a refresh");
      const eve = await logIn("eve");
      await app.get(Logins).endAll("eve");
      assert.equal(await ask(eve), endTokens ? 401 : 403, "the login has ended");
    }));
}

test("with short claims a token of a login is not recent", () =>
  withAuth({ declarations: [Account], auth: { claims: "short" } }, async ({ app }) => {
    const authorization = `Bearer ${await (await app.request("POST", "/login/ada")).json()}`;
    assert.equal((await app.request("GET", token, { headers: { authorization } })).status, 403);
  }));

test("a recent credential does not make another one of the same request recent", () =>
  withAuth({ declarations: [Account] }, async ({ app, clock }) => {
    const ask = async (path: string, headers: Headers) =>
      (await app.fetch(new Request(`http://localhost${path}`, { headers }))).status;
    const old = await app.get(Sessions).create("ada");
    const { key: apiKey } = await app.get(ApiKeys).create("ada", { scopes: "all" });
    clock.advance("10m");
    const authorization = `Bearer ${await app.get(Tokens).issue(user("ada"))}`;
    const own = await app.get(Sessions).create("eve");
    const recent = await app.get(Sessions).create("ada");
    assert.equal(await ask(token, { authorization, cookie: `session_id=${own}` }), 403, "a stolen token");
    assert.equal(await ask(key, { "x-api-key": apiKey, cookie: `session_id=${own}` }), 403, "a stolen key");
    assert.equal(await ask(key, { "x-api-key": apiKey }), 403, "a key is never recent");
    assert.equal(await ask(session, { cookie: `session_id=${old}`, authorization }), 403, "a stolen session");
    assert.equal(await ask(session, { cookie: `session_id=${recent}` }), 200);
    assert.equal(await ask("/open", { cookie: `session_id=${recent}`, authorization }), 403, "without a guard");
  }));
