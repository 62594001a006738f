import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { test } from "node:test";
import { PasswordLogin, Passwords, SecondFactor, SecondFactorRequired, useFastPasswords } from "@tenon/auth";
import { type Context, HttpError, inject, type Routes } from "@tenon/core";
import { sqlTracing } from "../../data/src/tracing.ts";
import { hashTracing } from "../src/tracing.ts";
import { type AuthApp, withAuth } from "./support/auth-app.ts";
import { enableFactor } from "./support/authenticator.ts";

interface User {
  readonly id: string;
  readonly password: string;
}

/** The table of an application. */
type Find = (account: string) => Promise<User | undefined>;

/** A login in one request, and one in two steps as pages have it. */
function createLoginController(find: Find) {
  return class LoginController {
    readonly #login = inject(PasswordLogin);
    readonly #factor = inject(SecondFactor);

    routes(): Routes {
      return [
        { method: "POST", path: "/login", handler: this.login },
        { method: "POST", path: "/login/password", handler: this.suspend },
        { method: "POST", path: "/login/code", handler: this.resume },
      ];
    }

    async login(ctx: Context) {
      const [account, password, code] = ["account", "password", "code"].map((name) => ctx.query(name));
      const input = { account: account ?? "", password: password ?? "", code, find: () => find(account ?? "") };
      const user = await this.#login.check(input, ctx);
      return { id: user?.id ?? "refused" };
    }

    async suspend(ctx: Context) {
      try {
        return await this.login(ctx);
      } catch (error) {
        if (!(error instanceof SecondFactorRequired)) throw error;
        return { step: await this.#factor.suspend(error.userId, ctx) };
      }
    }

    async resume(ctx: Context) {
      return { id: (await this.#factor.resume(ctx.query("step"), ctx.query("code"), ctx)) ?? "refused" };
    }
  };
}

interface Parts extends AuthApp {
  readonly factor: SecondFactor;
  /** Sends a form, and returns the status and the one value of the body. */
  readonly send: (path: string, form: Readonly<Record<string, string>>) => Promise<readonly [number, string]>;
}

const password = "correct horse";

function withLogins(find: Find, body: (parts: Parts) => Promise<void>): Promise<void> {
  const setup = { declarations: [createLoginController(find)], override: [useFastPasswords()] };
  return withAuth(setup, async (parts) => {
    const send: Parts["send"] = async (path, form) => {
      const response = await parts.app.request("POST", `${path}?${new URLSearchParams(form)}`);
      const values = (await response.json()) as Readonly<Record<string, string>>; // of the controller, or an error
      return [response.status, Object.values(values)[0] ?? ""];
    };
    await body({ ...parts, send, factor: parts.app.get(SecondFactor) });
  });
}

/** Users by account, each with the password of these tests. */
async function withUsers(accounts: readonly string[], body: (parts: Parts) => Promise<void>): Promise<void> {
  const users = new Map<string, User>();
  await withLogins(
    async (account) => users.get(account),
    async (parts) => {
      const hash = await parts.app.get(Passwords).hash(password);
      for (const id of accounts) users.set(id, { id, password: hash });
      await body(parts);
    },
  );
}

test("wrong codes of logins, suspended logins and verify() count together", () =>
  withUsers(["ada"], async ({ factor, clock, send }) => {
    const { phone } = await enableFactor(factor, "ada", () => clock.now());
    const [, step] = await send("/login/password", { account: "ada", password });
    const logIn = (code: string) => send("/login", { account: "ada", password, code });
    const resume = (code: string) => send("/login/code", { step, code });
    const wrong = phone.wrongCode();
    assert.equal(await factor.verify("ada", wrong), false);
    for (const guess of [logIn, resume, logIn, resume]) assert.deepEqual(await guess(wrong), [200, "refused"]);
    for (const guess of [logIn, resume]) assert.deepEqual(await guess(phone.code()), [429, "Too Many Requests"]);
    await assert.rejects(
      factor.verify("ada", phone.code()),
      (error) => error instanceof HttpError && error.status === 429,
    );
  }));

test("wrong passwords and missing codes leave all guesses of a code to the user", () =>
  withUsers(["ada"], async ({ factor, clock, send }) => {
    const { phone } = await enableFactor(factor, "ada", () => clock.now());
    for (let guess = 0; guess < 6; guess++) {
      const code = phone.wrongCode();
      assert.deepEqual(await send("/login", { account: "ada", password: "wrong", code }), [200, "refused"]);
      assert.deepEqual(await send("/login", { account: "ada", password }), [401, "Second factor required"]);
    }
    assert.deepEqual(await send("/login", { account: "ada", password, code: phone.code() }), [200, "ada"]);
  }));

test("a suspended login takes codes of its own user only, and logs in no other user", () =>
  withUsers(["ada", "eve"], async ({ factor, clock, send }) => {
    const ada = await enableFactor(factor, "ada", () => clock.now());
    const eve = await enableFactor(factor, "eve", () => clock.now());
    const [, step] = await send("/login/password", { account: "ada", password });
    const resume = (code: string) => send("/login/code", { step, code });
    for (const code of [eve.phone.code(), eve.recoveryCodes[0] ?? ""]) {
      assert.deepEqual(await resume(code), [200, "refused"]);
    }
    assert.equal(await factor.isSuspended(step), true);
    assert.equal(await factor.verify("eve", eve.phone.code()), true, "it was not used up for another user");
    assert.deepEqual(await resume(ada.phone.code()), [200, "ada"]);
    assert.deepEqual(await resume(ada.phone.code(1)), [200, "refused"], "the login is finished");
  }));

test("an unknown user and a wrong password cost the same comparison, reads and writes", () => {
  const current = new AsyncLocalStorage<string[]>();
  const note = (text: string) => void current.getStore()?.push(text);
  const users = new Map<string, User>();
  const find: Find = async (account) => {
    note("find");
    return users.get(account);
  };
  return withLogins(find, async ({ app, factor, clock, send }) => {
    const hash = await app.get(Passwords).hash(password);
    for (const id of ["ada", "eve"]) users.set(id, { id, password: hash });
    await enableFactor(factor, "eve", () => clock.now());
    const hashing = { start: ({ operation }: { readonly operation: string }) => note(operation) };
    const querying = { start: ({ sql }: { readonly sql: string }) => note(sql) };
    hashTracing.subscribe(hashing);
    sqlTracing.subscribe(querying);
    try {
      const [unknown = [], ...known] = await Promise.all(
        ["unknown", "ada", "eve"].map((account) => {
          const calls: string[] = [];
          const form = { account, password: "wrong", code: "123456" };
          return current.run(calls, async () => {
            assert.deepEqual(await send("/login", form), [200, "refused"]);
            return calls;
          });
        }),
      );
      for (const calls of known) assert.deepEqual(calls, unknown);
      assert.equal(unknown.filter((call) => call === "verify").length, 1);
      assert.equal(unknown.filter((call) => call === "find").length, 1);
      assert.ok(
        unknown.some((call) => call.startsWith("insert")),
        "the failure is counted",
      );
    } finally {
      hashTracing.unsubscribe(hashing);
      sqlTracing.unsubscribe(querying);
    }
  });
});

test("a password that is changed, or a user who is deleted, during the comparison does not log in", async () => {
  const reads: (User | undefined)[] = [];
  await withLogins(
    async () => reads.shift(),
    async ({ app, send }) => {
      const hashOf = async (text: string) => ({ id: "ada", password: await app.get(Passwords).hash(text) });
      const [old, same, changed] = [await hashOf(password), await hashOf(password), await hashOf("new horse")];
      const logIn = (...rows: (User | undefined)[]) => {
        reads.splice(0, reads.length, ...rows);
        return send("/login", { account: "ada", password });
      };
      assert.deepEqual(await logIn(old, old), [200, "ada"]);
      assert.deepEqual(await logIn(old, changed, changed), [200, "refused"]);
      assert.deepEqual(await logIn(old, undefined), [200, "refused"]);
      assert.deepEqual(await logIn(old, { ...old, id: "eve" }, old), [200, "refused"], "the address is another user's");
      assert.deepEqual(await logIn(old, same, same), [200, "ada"], "the same password with a new hash");
      assert.deepEqual(await logIn(old, same, old), [200, "refused"], "it changes each time");
    },
  );
});
