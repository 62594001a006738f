import assert from "node:assert/strict";
import { test } from "node:test";
import { authModule, BearerAuth, loginAs, SessionAuth } from "@tenon/auth";
import { api, defineModule, route } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { dataModule } from "@tenon/data";

class BySession {
  routes() {
    return [route.get("/session", { middlewares: [SessionAuth] }, (ctx) => ctx.get("user_id"))];
  }
}
class ByToken {
  routes() {
    return [
      route.get("/token", { middlewares: [BearerAuth] }, (ctx) =>
        [ctx.get("user_id"), ctx.get("user_email"), ctx.get("user_role")].join(),
      ),
    ];
  }
}
const data = dataModule({ database: "sqlite::memory:" });

test("loginAs() gives a client that passes the guards of tokens and of sessions", async () => {
  const auth = authModule(data, { secret: "for this test only, 32 bytes long" });
  const AppModule = defineModule({ name: "app", imports: [data, auth], declarations: [BySession, ByToken] });
  const app = await createTestApp(AppModule, api());
  const ada = await loginAs(app, { id: "ada" });
  const eve = await loginAs(app, { id: "eve", email: "eve@work.example", role: "admin" });
  assert.equal(await (await ada.request("GET", "/session")).json(), "ada");
  assert.equal(await (await ada.request("GET", "/token")).json(), "ada,ada@example.com,user");
  assert.equal(await (await eve.request("GET", "/session")).json(), "eve");
  assert.equal(await (await eve.request("GET", "/token")).json(), "eve,eve@work.example,admin");
  assert.equal((await app.request("GET", "/session")).status, 401);
  await app.stop();
});

test("loginAs() gives a session alone where there are no tokens", async () => {
  const auth = authModule(data, { secret: false });
  const app = await createTestApp(
    defineModule({ name: "app", imports: [data, auth], declarations: [BySession] }),
    api(),
  );
  const ada = await loginAs(app, { id: "ada" });
  assert.equal(await (await ada.request("GET", "/session")).json(), "ada");
  await app.stop();
});
