import assert from "node:assert/strict";
import { test } from "node:test";
import { Database } from "@tenon/data";
import { createTutorialModule } from "../../src/app.module.ts";
import type { Schema } from "../../src/database/schema.ts";
import type { Post } from "../../src/posts/post.ts";
import type { User } from "../../src/users/user.ts";
import { describeOnStorages, withFreshBlog } from "../support/blog.ts";
import { assertError, assertReply } from "../support/client.ts";
import { payloadOf } from "../support/tokens.ts";
import { uniqueEmail } from "../support/users.ts";

const password = "correct horse";
const variant = { createModule: createTutorialModule };

describeOnStorages(
  "Variant in the blog tutorial",
  (blog, storage) => {
    const email = uniqueEmail();

    test("Register returns 201 with the User object only (no token)", async () => {
      const { client, clock } = blog();
      const { status, body } = await client.post<User>("/auth/register", { email, password, name: "Ada" });
      assert.equal(status, 201);
      assert.deepEqual(body, { id: body.id, email, name: "Ada", created_at: clock.timestamp() });
    });

    test("A duplicate email returns 400 with `email already registered`", async () => {
      const again = { email: email.toUpperCase(), password, name: "Eve" };
      assertError(await blog().client.post("/auth/register", again), 400, "email already registered");
    });

    test("A store failure returns 400 with { error: <message> }", async () => {
      await withFreshBlog(
        storage,
        async ({ app, client, log }) => {
          await app
            .get(Database<Schema>)
            .schema.alterTable("users")
            .renameTo("elsewhere")
            .execute();
          const input = { email: uniqueEmail(), password, name: "Ada" };
          assertError(await client.post("/auth/register", input), 400, "store failure");
          assert.deepEqual(log.messages("error"), ["the user could not be created"]);
        },
        variant,
      );
    });

    test("A body that cannot be bound is 400 `Invalid request` here too", async () => {
      const { client } = blog();
      const short = { email: uniqueEmail(), password: "1234567", name: "Ada" };
      const long = { ...short, password: "x".repeat(73) };
      for (const input of [short, long, {}]) {
        assertError(await client.post("/auth/register", input), 400, "Invalid request");
      }
      assertError(await client.post("/auth/login", { email }), 400, "Invalid request");
    });

    test("Login returns 200 with `{ token: string }` only", async () => {
      const { status, body } = await blog().client.post<{ token: string }>("/auth/login", { email, password });
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(body), ["token"]);
    });

    test("Token claims: `role`, issued-at and issuer are present in the full authentication reference only", async () => {
      const { client, clock } = blog();
      const { body } = await client.post<{ token: string }>("/auth/login", { email, password });
      const payload = payloadOf(body.token);
      assert.deepEqual(Object.keys(payload).sort(), ["email", "exp", "user_id"]);
      assert.equal(payload.email, email);
      assert.equal(payload.exp, Math.floor(clock.now() / 1000) + 86_400);
    });

    test("A failure returns 401 with the message `invalid credentials`", async () => {
      const { client } = blog();
      const wrong = await client.post("/auth/login", { email, password: "wrong horse" });
      assertError(wrong, 401, "invalid credentials");
      const unknown = await client.post("/auth/login", { email: uniqueEmail(), password });
      assertError(unknown, 401, "invalid credentials");
    });

    test("Header missing or empty: 401, tutorial message `Missing authorization`", async () => {
      const { client } = blog();
      assertError(await client.get("/my-posts"), 401, "Missing authorization");
      assertError(await client.get("/my-posts", { headers: { authorization: "" } }), 401, "Missing authorization");
      const basic = { headers: { authorization: "Basic YTpi" } };
      assertError(await client.get("/my-posts", basic), 401, "Invalid authorization format");
      assertError(await client.get("/my-posts", { token: "a.b.c" }), 401, "Invalid token");
    });

    test("Only `/auth/register` and `/auth/login` are routed in the tutorial", async () => {
      const { app, client } = blog();
      const routes = app.routes.list().map(({ method, path }) => `${method} ${path}`);
      assert.deepEqual(
        routes.filter((route) => route.includes("/auth")),
        ["POST /auth/register", "POST /auth/login"],
      );
      for (const path of ["/auth/me", "/auth/session", "/auth/api-keys", "/auth/key"]) {
        assertError(await client.get(path), 404, "Not Found");
      }
      for (const path of ["/auth/logout", "/auth/token", "/auth/refresh"]) {
        assertError(await client.post(path, {}), 404, "Not Found");
      }
    });

    test("The blog endpoints are the same", async () => {
      const { client } = blog();
      const { body } = await client.post<{ token: string }>("/auth/login", { email, password });
      const options = { token: body.token };
      const created = await client.post<Post>("/posts", { title: "t", content: "c" }, options);
      assert.equal(created.status, 201);
      assertReply(await client.get("/my-posts", options), 200, [created.body]);
    });
  },
  variant,
);
