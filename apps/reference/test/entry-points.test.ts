import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { OpenApiDocument } from "@tenon/core/platform";
import { withFolder } from "../../../packages/data/test/support/services.ts";
import { root, run } from "../../../test/support/run.ts";
import type { LoginResponse } from "../src/auth/auth.service.ts";
import type { Post } from "../src/posts/post.ts";
import type { User } from "../src/users/user.ts";
import { assertError, assertReply, type Client } from "./support/client.ts";
import { withServer } from "./support/processes.ts";
import { WebClient } from "./support/web-client.ts";

const account = { email: "ada@example.com", password: "correct horse", name: "Ada" };

/** The cost of the only user's hash. */
function costIn(file: string): unknown {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare("select substr(password, 5, 2) as cost from users").get()?.cost;
  } finally {
    database.close();
  }
}

test("main.api.ts serves the full reference with cost 14, and its secret and tokens survive a restart", async () => {
  await withFolder(async (folder) => {
    const file = join(folder, "blog.db");
    const env = { DATABASE_URL: `sqlite:${file}` };
    const register = async ({ client }: { readonly client: Client }) => {
      const { status, body } = await client.post<LoginResponse>("/auth/register", account);
      assert.equal(status, 201);
      return body;
    };
    const { token, user } = await withServer("src/main.api.ts", env, register);
    assert.equal(costIn(file), "14");
    await withServer("src/main.api.ts", env, async (server) => {
      assertReply(await server.client.get("/auth/me", { token }), 200, user);
      await server.logs("/auth/me");
      const warning = `JWT_SECRET is not set: tokens are signed with the secret in ${join(folder, "jwt-secret")}`;
      assert.ok(server.lines.some((line) => line.includes(warning)));
      assert.ok(server.lines.every((line) => !line.includes(token)));
    });
  });
});

test("main.tutorial.ts serves the tutorial's variant with cost 10", async () => {
  await withFolder(async (folder) => {
    const file = join(folder, "blog.db");
    await withServer("src/main.tutorial.ts", { DATABASE_URL: `sqlite:${file}` }, async ({ client }) => {
      const { status, body } = await client.post<User>("/auth/register", account);
      assert.equal(status, 201);
      assert.deepEqual(Object.keys(body).sort(), ["created_at", "email", "id", "name"]);
      assertError(await client.get("/my-posts"), 401, "Missing authorization");
    });
    assert.equal(costIn(file), "10");
  });
});

test("main.web.ts serves the pages with cost 14, together with the API on the same file", async () => {
  await withFolder(async (folder) => {
    const file = join(folder, "blog.db");
    const env = { DATABASE_URL: `sqlite:${file}` };
    await withServer("src/main.web.ts", env, async (pages) => {
      const visitor = new WebClient(pages.client.url);
      await visitor.get("/register");
      assert.equal((await visitor.submit("/register", account)).location, "/my-posts");
      assert.equal(costIn(file), "14");
      await withServer("src/main.api.ts", env, async ({ client }) => {
        const { token } = (await client.post<LoginResponse>("/auth/login", account)).body;
        const { body } = await client.post<Post>("/posts", { title: "From the API", content: "c" }, { token });
        await client.call("PATCH", `/posts/${body.id}`, { token, json: { published: true } });
        assert.match((await new WebClient(visitor.url).get("/")).text, /From the API/);
        const cookie = `session_id=${visitor.cookies.get("session_id")}`;
        assert.equal((await client.get<User>("/auth/session", { headers: { cookie } })).body.name, "Ada");
      });
    });
  });
});

test("main.api.ts serves the OpenAPI document and the docs page", async () => {
  await withFolder(async (folder) => {
    const env = { DATABASE_URL: `sqlite:${join(folder, "blog.db")}` };
    await withServer("src/main.api.ts", env, async ({ client }) => {
      const { status, body } = await client.get<OpenApiDocument>("/openapi.json");
      assert.deepEqual([status, body.openapi, body.info.title], [200, "3.1.0", "Tenon blog"]);
      assert.equal(body.paths["/posts/{id}"]?.get?.operationId, "posts.show");
      const page = await client.get("/docs");
      assert.equal(page.status, 200);
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
    });
  });
});

test("tenon routes --audit has no findings, whoever may change a post", async () => {
  const app = join(root, "apps/reference");
  await withFolder(async (folder) => {
    const owned = join(folder, "main.owned.ts");
    writeFileSync(
      owned,
      `import { createAppModule } from "${app}/src/app.module.ts";
import { Config } from "${app}/src/config.ts";
import { serve } from "${app}/src/serve.ts";

await serve(Config.readOrExit(), (options) => createAppModule({ ...options, postPolicy: "owner" }));
`,
    );
    for (const entry of ["src/main.api.ts", "src/main.tutorial.ts", "src/main.web.ts", relative(app, owned)]) {
      const words = ["packages/tool/src/main.ts", "routes", "--audit", `--in=${app}`, `--entry=${entry}`];
      const { stdout, stderr } = await run(process.execPath, ["--conditions=@tenon/source", ...words]);
      const lines = stdout.trimEnd().split("\n");
      assert.deepEqual([lines.pop(), stderr], ["no findings", ""], `${entry}: ${stdout}`);
      for (const line of lines)
        assert.match(line, /^open to everyone: POST \/(?:auth|account|login|register|logout)\b/);
    }
  });
});
