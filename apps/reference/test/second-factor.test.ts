import assert from "node:assert/strict";
import { test } from "node:test";
import { Logins, SecondFactor } from "@tenon/auth";
import { enableFactor } from "../../../packages/auth/test/support/authenticator.ts";
import { createTutorialModule } from "../src/app.module.ts";
import { UsersService } from "../src/users/users.service.ts";
import { type Blog, type StartOptions, withBlog } from "./support/blog.ts";
import { asPages, visit } from "./support/pages.ts";
import { uniqueEmail } from "./support/users.ts";

const password = "correct horse";
const urls = { databaseUrl: "sqlite::memory:", redisUrl: undefined };

/** A user with a second factor. */
async function createUser({ app, clock }: Blog) {
  const email = uniqueEmail();
  const user = await app.get(UsersService).create({ email, password, name: "Ada" });
  const factor = app.get(SecondFactor);
  return { email, id: user?.id ?? "", ...(await enableFactor(factor, user?.id ?? "", () => clock.now())) };
}

const endpoints: readonly (readonly [path: string, status: number, wrong: string, start: StartOptions])[] = [
  ["/auth/login", 200, "Invalid credentials", {}],
  ["/auth/token", 200, "Invalid credentials", {}],
  ["/auth/session", 201, "Invalid credentials", {}],
  ["/auth/login", 200, "invalid credentials", { createModule: createTutorialModule }],
];

for (const [path, status, wrong, start] of endpoints) {
  test(`POST ${path} (${wrong}) needs the code of a user with a second factor`, () =>
    withBlog(
      urls,
      async (blog) => {
        const { email, phone, recoveryCodes } = await createUser(blog);
        const send = async (code?: string, typed = password) => {
          const reply = await blog.client.post<{ error?: string }>(path, { email, password: typed, code });
          return [reply.status, reply.body.error];
        };
        assert.deepEqual(await send(), [401, "Second factor required"]);
        assert.deepEqual(await send(phone.wrongCode()), [401, wrong]);
        assert.deepEqual(await send(phone.code(), "wrong horse"), [401, wrong]);
        assert.deepEqual(await send(phone.code()), [status, undefined], "a wrong password did not use up the code");
        assert.deepEqual(await send(phone.code()), [401, wrong], "it was used");
        assert.deepEqual(await send(recoveryCodes[0]), [status, undefined]);
      },
      start,
    ));
}

test("the login pages ask for the code in a second step, which ends with all logins and after 10 minutes", () =>
  withBlog(
    urls,
    async (blog) => {
      const { email, id, phone } = await createUser(blog);
      const visitor = await visit(blog);
      const follow = async ({ headers }: { readonly headers: Headers }) =>
        (await visitor.get(headers.get("location") ?? "")).text;
      const logIn = async () => {
        await visitor.get("/login");
        return follow(await visitor.submit("/login", { email, password }));
      };
      assert.match(await logIn(), /<h1>Enter your code/);
      assert.match(
        await follow(await visitor.submit("/login/code", { code: phone.wrongCode() })),
        /This code is wrong/,
      );
      await blog.app.get(Logins).endAll(id);
      assert.match(await follow(await visitor.get("/login/code")), /The login has expired/);
      await logIn();
      blog.clock.advance("10m");
      assert.match(await follow(await visitor.get("/login/code")), /The login has expired/);
      await logIn();
      assert.match(await follow(await visitor.submit("/login/code", { code: phone.code() })), /Welcome back, Ada/);
    },
    asPages,
  ));
