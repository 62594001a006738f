import assert from "node:assert/strict";
import { test } from "node:test";
import { BearerAuth, RefreshTokens, Tokens } from "@tenon/auth";
import { password } from "./support/accounts-app.ts";
import { send, withAttackedApp } from "./support/attacked-app.ts";

const notRecent = [403, "Recent login required"];
const email = { email: "new@example.com" };
const changed = { password, new_password: "another horse" };

for (const endTokens of [false, true]) {
  const ends = endTokens ? "the access tokens too" : "not the access tokens";
  test(`with bearer tokens, a confirmation makes one token recent, and a new password ends ${ends}`, () =>
    withAttackedApp({ guard: BearerAuth, endTokens }, async ({ addUser, app, clock, logIn, mails }) => {
      await addUser("ada");
      const refreshToken = await app.get(RefreshTokens).generate("ada");
      const issue = async () => {
        clock.advance("1s"); // tokens of one second are the same
        const token = await app.get(Tokens).issue({ id: "ada", email: "ada@example.com", role: "user" });
        return { authorization: `Bearer ${token}` };
      };
      const [own, other] = [await issue(), await issue()];
      const refused = [401, "Missing authorization header"];
      assert.deepEqual(await send(app, "GET /account"), refused);
      assert.deepEqual(await send(await logIn("ada"), "GET /account"), refused, "a session is not a token");
      assert.equal((await send(app, "GET /account", undefined, own))[0], 200);

      assert.deepEqual(await send(app, "POST /account/email", email, own), notRecent);
      const wrong = await send(app, "POST /account/confirm", { password: "wrong horse" }, own);
      assert.deepEqual(wrong, [401, "Invalid credentials"]);
      assert.deepEqual(await send(app, "POST /account/email", email, own), notRecent);
      assert.deepEqual(await send(app, "POST /account/confirm", { password }, own), [204, null]);
      assert.deepEqual(await send(app, "POST /account/email", email, own), [202, null]);
      assert.deepEqual(await send(app, "POST /account/email", email, other), notRecent);

      assert.deepEqual(await send(app, "PUT /account/password", changed, other), notRecent);
      assert.deepEqual(await send(app, "PUT /account/password", changed, own), [204, null]);
      assert.equal((await mails()).at(-1)?.to.address, "ada@example.com", "a notice");
      const refreshed = await send(app, "POST /refresh", { refresh_token: refreshToken });
      assert.deepEqual(refreshed, [401, "invalid refresh token"]);
      for (const token of [own, other]) {
        assert.equal((await send(app, "GET /account", undefined, token))[0], endTokens ? 401 : 200);
      }
      const fresh = await issue();
      assert.equal((await send(app, "GET /account", undefined, fresh))[0], 200);
      for (const token of endTokens ? [fresh] : [fresh, own]) {
        assert.deepEqual(await send(app, "DELETE /account", undefined, token), notRecent, "the confirmation has ended");
      }
      clock.advance("9m");
      const confirmation = { password: changed.new_password };
      assert.deepEqual(await send(app, "POST /account/confirm", confirmation, fresh), [204, null]);
      clock.advance("10m");
      assert.deepEqual(await send(app, "DELETE /account", undefined, fresh), notRecent);
      assert.deepEqual(await send(app, "POST /account/confirm", confirmation, fresh), [204, null]);
      assert.deepEqual(await send(app, "DELETE /account", undefined, fresh), [204, null]);
    }));
}
