import assert from "node:assert/strict";
import { test } from "node:test";
import { hasPgBouncer, withPgBouncer } from "../../../packages/data/test/support/own-pgbouncer.ts";
import { services, withPostgres } from "../../../packages/data/test/support/services.ts";
import type { Post } from "../src/posts/post.ts";
import { runFile, withServer } from "./support/processes.ts";
import { uniqueEmail } from "./support/users.ts";

if (hasPgBouncer && services.postgres !== undefined) {
  test("the service runs behind PgBouncer, and says which setting that needs", () =>
    withPostgres((server) =>
      withPgBouncer({ server }, async (DATABASE_URL) => {
        const env = { DATABASE_URL, JWT_SECRET: "thirty-two bytes of random, or so", BCRYPT_COST: "10" };
        const { code, stderr } = await runFile("src/main.api.ts", env);
        assert.equal(code, 1);
        assert.match(stderr, /^Cannot start: .* This looks like PgBouncer: set DATABASE_POOLER=transaction,/);
        await withServer("src/main.api.ts", { ...env, DATABASE_POOLER: "transaction" }, async ({ client }) => {
          const account = { email: uniqueEmail(), password: "correct horse", name: "Ada" };
          const { body: login } = await client.post<{ token: string }>("/auth/register", account);
          const { token } = login;
          const draft = await client.post<Post>("/posts", { title: "Hello", content: "A first post." }, { token });
          const path = `/posts/${draft.body.id}`;
          assert.equal((await client.call("PATCH", path, { token, json: { published: true } })).status, 200);
          const { body: posts } = await client.get<Post[]>("/posts");
          assert.deepEqual(
            posts.map(({ id }) => id),
            [draft.body.id],
          );
          assert.equal((await client.get("/health/ready")).status, 200);
        });
      }),
    ));
}
