import assert from "node:assert/strict";
import { test } from "node:test";
import { authModule, loginAs, Policy, requireRole, SessionAuth } from "@tenon/auth";
import { type Context, defineModule, route } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { dataModule } from "@tenon/data";
import { view, web } from "@tenon/web";
import { temporaryViews } from "../../web/test/support/views.ts";

const views = temporaryViews({
  "draft.eta": "<%= data %>",
  "errors/error.eta": "<%= data.status %> <%= data.message %>",
});

class DraftAuthor extends Policy<{ readonly author: string }> {
  readonly name = "draft author";
  readonly missing = 404;
  readonly denied = 403;
  override readonly errors = { 403: "Only its author can read a draft." };

  load(id: string) {
    return id === "1" ? { author: "ada" } : undefined;
  }
  allow(ctx: Context, { author }: { readonly author: string }) {
    return author === ctx.get("user_id");
  }
}

class Drafts {
  routes() {
    return [
      route.get("/drafts/:id", { middlewares: [SessionAuth, DraftAuthor] }, () => view("draft", "the draft")),
      route.get("/admin", { middlewares: [SessionAuth, requireRole("admin")] }, () => view("draft", "for admins")),
    ];
  }
}

test("on the web platform a refusal of a policy is a page", async () => {
  const data = dataModule({ database: "sqlite::memory:" });
  const module = defineModule({
    name: "app",
    imports: [data, authModule(data, { secret: false })],
    declarations: [Drafts, DraftAuthor],
  });
  const app = await createTestApp(module, web({ views }));
  try {
    const visit = async (user: string, path: string) => {
      const client = await loginAs(app, { id: user });
      const response = await client.request("GET", path, { headers: { accept: "text/html" } });
      assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
      return [response.status, await response.text()];
    };
    assert.deepEqual(await visit("ada", "/drafts/1"), [200, "the draft"]);
    assert.deepEqual(await visit("eve", "/drafts/1"), [403, "403 Only its author can read a draft."]);
    assert.deepEqual(await visit("eve", "/drafts/2"), [404, "404 Not Found"]);
    assert.deepEqual(await visit("eve", "/admin"), [403, "403 Forbidden"]);
  } finally {
    await app.stop();
  }
});
