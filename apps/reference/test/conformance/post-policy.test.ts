import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { Post } from "../../src/posts/post.ts";
import { describeOnStorages } from "../support/blog.ts";
import { assertError, assertReply } from "../support/client.ts";

describeOnStorages(
  "Ownership: the `owner` policy",
  (blog) => {
    test("only the author may change or delete a post, 403 `Forbidden` for others", async () => {
      const { client, users } = blog();
      const { token, user } = await users.one();
      const { token: other } = await users.add();
      const { body: post } = await client.post<Post>("/posts", { title: "t", content: "c" }, { token });
      const path = `/posts/${post.id}`;
      for (const method of ["PUT", "PATCH", "DELETE"]) {
        assertError(await client.call(method, path, { token: other, json: { title: "mine" } }), 403, "Forbidden");
        assertError(await client.call(method, path, { json: {} }), 401, "Missing authorization header");
      }
      assertReply(await client.get(path), 200, { ...post, author: user });
      for (const method of ["PUT", "PATCH"]) {
        assert.equal((await client.call(method, path, { token, json: { title: "still mine" } })).status, 200);
      }
      assert.equal((await client.call("DELETE", path, { token })).status, 204);
    });

    test("a missing post gets the same response as without the policy", async () => {
      const { client, users } = blog();
      const { token } = await users.one();
      const path = `/posts/${randomUUID()}`;
      assertError(await client.call("PUT", path, { token, json: {} }), 500, "record not found");
      assertError(await client.call("PATCH", path, { token, json: {} }), 404, "Post not found");
      assert.equal((await client.call("DELETE", path, { token })).status, 204);
    });

    test("every user may read posts and write their own", async () => {
      const { client, users } = blog();
      const { token, user } = await users.add();
      const created = await client.post<Post>("/posts", { title: "t", content: "c" }, { token });
      assertReply(await client.get(`/posts/${created.body.id}`), 200, { ...created.body, author: user });
      assertReply(await client.get("/my-posts", { token }), 200, [created.body]);
    });
  },
  { options: { postPolicy: "owner" } },
);
