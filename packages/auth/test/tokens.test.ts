import assert from "node:assert/strict";
import { test } from "node:test";
import { accessTokenSeconds, type Claims, Tokens } from "@tenon/auth";
import { secret, withAuth } from "./support/auth-app.ts";
import { claimsOf, headerOf, mint } from "./support/jwt.ts";

const ada = { id: "ada", email: "ada@example.com", role: "admin" };

test("a token of the full authentication reference has user_id, email, role, iat, exp and iss, and its login", () =>
  withAuth({ auth: { issuer: "the-issuer" } }, async ({ app, clock }) => {
    const token = await app.get(Tokens).issue(ada);
    assert.deepEqual(headerOf(token), { alg: "HS256", typ: "JWT" });
    assert.deepEqual(claimsOf(token), {
      user_id: "ada",
      email: "ada@example.com",
      role: "admin",
      iat: clock.now() / 1000,
      exp: clock.now() / 1000 + 86_400,
      iss: "the-issuer",
      stamp: "",
    });
  }));

test("checkIssuer refuses tokens with another iss, or without one", () =>
  withAuth({ auth: { issuer: "blog", checkIssuer: true } }, async ({ app, clock }) => {
    const tokens = app.get(Tokens);
    const payload = { user_id: "ada", email: "ada@example.com", exp: clock.now() / 1000 + 60 };
    for (const iss of ["shop", "Blog", "", undefined]) {
      const token = mint({ payload: { ...payload, iss } });
      assert.equal(await tokens.verify(token), undefined);
      assert.equal(await tokens.verifyHeader(`Bearer ${token}`), undefined);
      assert.equal(tokens.recallHeader(`Bearer ${token}`), undefined);
    }
    assert.equal((await tokens.verify(mint({ payload: { ...payload, iss: "blog" } })))?.user_id, "ada");
    assert.equal((await tokens.verify(await tokens.issue(ada)))?.user_id, "ada");
  }));

test("without checkIssuer any issuer is accepted", () =>
  withAuth({ auth: { issuer: "blog" } }, async ({ app, clock }) => {
    for (const iss of ["shop", undefined]) {
      const token = mint({ payload: { user_id: "ada", exp: clock.now() / 1000 + 60, iss } });
      assert.equal((await app.get(Tokens).verify(token))?.user_id, "ada");
    }
  }));

test("checkIssuer is refused with short claims, which have no issuer", async () => {
  await assert.rejects(
    withAuth({ auth: { checkIssuer: true, claims: "short" } }, async () => {}),
    /checkIssuer is true and claims is "short"\. It takes claims: "full"/,
  );
});

test("a token of the tutorial has user_id, email and exp only", () =>
  withAuth({ auth: { claims: "short" } }, async ({ app, clock }) => {
    const token = await app.get(Tokens).issue(ada);
    assert.deepEqual(claimsOf(token), { user_id: "ada", email: "ada@example.com", exp: clock.now() / 1000 + 86_400 });
    const claims = await app.get(Tokens).verify(token);
    assert.deepEqual(claims, { user_id: "ada", email: "ada@example.com", role: "", exp: clock.now() / 1000 + 86_400 });
  }));

test("exp is iat plus 86400, also when a token is issued between two seconds", () =>
  withAuth({}, async ({ app, clock }) => {
    clock.advance("0.999s");
    const claims = claimsOf(await app.get(Tokens).issue(ada)) as { iat: number; exp: number }; // as the first test says
    assert.ok(Number.isInteger(claims.iat));
    assert.equal(claims.exp - claims.iat, accessTokenSeconds);
    assert.equal(accessTokenSeconds, 86_400);
  }));

for (const claims of ["full", "short"] as const) {
  test(`a token with ${claims} claims is valid for 24 hours less a second and expired at 24 hours`, () =>
    withAuth({ auth: { claims } }, async ({ app, clock }) => {
      const tokens = app.get(Tokens);
      const token = await tokens.issue(ada);
      const unseen = await tokens.issue({ ...ada, id: "not seen before it expires" });
      clock.advance("86399s");
      assert.equal((await tokens.verify(token))?.user_id, "ada");
      assert.equal((await tokens.verifyHeader(`Bearer ${token}`))?.user_id, "ada");
      clock.advance("1s");
      assert.equal(await tokens.verify(token), undefined);
      assert.equal(tokens.recallHeader(`Bearer ${token}`), undefined, "cached while it was valid");
      assert.equal(await tokens.verifyHeader(`Bearer ${unseen}`), undefined);
      assert.equal(tokens.recallHeader(`Bearer ${unseen}`), undefined, "first seen after it expired");
    }));
}

test("a token is invalid before its nbf and valid from then on", () =>
  withAuth({}, async ({ app, clock }) => {
    const tokens = app.get(Tokens);
    const token = mint({ payload: { user_id: "ada", exp: clock.now() / 1000 + 60, nbf: clock.now() / 1000 + 10 } });
    assert.equal(await tokens.verify(token), undefined);
    assert.equal(await tokens.verifyHeader(`Bearer ${token}`), undefined);
    clock.advance("9s");
    assert.equal(await tokens.verify(token), undefined);
    assert.equal(tokens.recallHeader(`Bearer ${token}`), undefined);
    clock.advance("1s");
    assert.equal((await tokens.verify(token))?.user_id, "ada");
    assert.equal(tokens.recallHeader(`Bearer ${token}`)?.user_id, "ada");
  }));

test("a token with only user_id, email and exp is valid", () =>
  withAuth({}, async ({ app, clock }) => {
    const exp = clock.now() / 1000 + 60;
    const payload = { user_id: "ada", email: "ada@example.com", exp };
    for (const header of [{ alg: "HS256" }, { alg: "HS256", typ: "JWT" }, { alg: "HS256", typ: "at+jwt" }]) {
      const claims = await app.get(Tokens).verify(mint({ header, payload }));
      assert.deepEqual(claims, { user_id: "ada", email: "ada@example.com", role: "", exp });
    }
  }));

test("jku, jwk, x5u and kid are ignored in a token that is signed with the secret", () =>
  withAuth({}, async ({ app, clock }) => {
    const payload = { user_id: "ada", exp: clock.now() / 1000 + 60 };
    const jwk = { kty: "oct", k: "AAAA" };
    for (const extra of [
      { kid: "../../dev/null" },
      { jku: "http://127.0.0.1:9/" },
      { x5u: "http://127.0.0.1:9/" },
      { jwk },
    ]) {
      const claims = await app.get(Tokens).verify(mint({ header: { alg: "HS256", ...extra }, payload }));
      assert.equal(claims?.user_id, "ada", JSON.stringify(extra));
    }
  }));

test("aud is ignored, because no audience is configured", () =>
  withAuth({}, async ({ app, clock }) => {
    for (const aud of ["another service", ["a", "b"], 1]) {
      const token = mint({ payload: { user_id: "ada", exp: clock.now() / 1000 + 60, aud } });
      assert.equal((await app.get(Tokens).verify(token))?.user_id, "ada");
    }
  }));

test("the last of two equal names in the payload counts, in the bytes that were signed", () =>
  withAuth({}, async ({ app, clock }) => {
    const payload = `{"user_id":"eve","user_id":"ada","exp":1,"exp":${clock.now() / 1000 + 60}}`;
    assert.equal((await app.get(Tokens).verify(mint({ payload })))?.user_id, "ada");
  }));

test("a token of 8192 characters is accepted, and a longer one refused", () =>
  withAuth({}, async ({ app, clock }) => {
    const sized = (filler: number) =>
      mint({
        header: { alg: "HS256", x: "" },
        payload: { user_id: "ada", exp: clock.now() / 1000 + 60, x: "y".repeat(filler) },
      });
    let filler = 6000;
    while (sized(filler + 1).length <= 8192) filler++;
    assert.equal((await app.get(Tokens).verify(sized(filler)))?.user_id, "ada");
    assert.equal(await app.get(Tokens).verify(sized(filler + 1)), undefined);
  }));

test("cached tokens keep their own claims", () =>
  withAuth({}, async ({ app }) => {
    const tokens = app.get(Tokens);
    const users = Array.from({ length: 50 }, (_, index) => ({
      id: `u${index}`,
      email: `u${index}@example.com`,
      role: `r${index}`,
    }));
    const headers = await Promise.all(users.map(async (user) => `Bearer ${await tokens.issue(user)}`));
    const toUsers = (all: readonly (Claims | undefined)[]) =>
      all.map((claims) => ({ id: claims?.user_id, email: claims?.email, role: claims?.role }));
    assert.deepEqual(toUsers(await Promise.all(headers.map((header) => tokens.verifyHeader(header)))), users);
    assert.deepEqual(toUsers(headers.map((header) => tokens.recallHeader(header))), users);
  }));

test("a request cannot change the claims that later requests get", () =>
  withAuth({}, async ({ app }) => {
    const tokens = app.get(Tokens);
    const header = `Bearer ${await tokens.issue(ada)}`;
    const claims = await tokens.verifyHeader(header);
    assert.throws(() => Object.assign(claims ?? {}, { user_id: "eve" }), TypeError);
    assert.equal(tokens.recallHeader(header)?.user_id, "ada");
  }));

test("a token is valid only under the secret that signed it, and a short secret works", async () => {
  const token = await withAuth({}, ({ app }) => app.get(Tokens).issue(ada));
  await withAuth({}, async ({ app }) => assert.equal((await app.get(Tokens).verify(token))?.user_id, "ada"));
  await withAuth({ auth: { secret: secret.slice(1) } }, async ({ app }) => {
    assert.equal(await app.get(Tokens).verify(token), undefined);
    assert.equal((await app.get(Tokens).verify(await app.get(Tokens).issue(ada)))?.user_id, "ada");
  });
  await withAuth({ auth: { secret: "short" } }, async ({ app }) => {
    assert.equal((await app.get(Tokens).verify(await app.get(Tokens).issue(ada)))?.user_id, "ada");
  });
});

test("a verified header is recalled as a whole, and only while its token is valid", () =>
  withAuth({}, async ({ app, clock }) => {
    const tokens = app.get(Tokens);
    const token = await tokens.issue(ada);
    const header = `Bearer ${token}`;
    await tokens.verify(token);
    assert.equal(tokens.recallHeader(header), undefined, "the header has not been verified yet");
    const claims = await tokens.verifyHeader(header);
    assert.notEqual(claims, undefined);
    assert.equal(tokens.recallHeader(header), claims);
    // these have the same hash
    for (const other of [
      token,
      `bearer ${token}`,
      `Bearer  ${token}`,
      `Bearer x${token.slice(1)}`,
      header.slice(-16),
    ]) {
      assert.equal(tokens.recallHeader(other), undefined, other);
    }
    for (const other of [`${header} `, header.slice(0, -1), "", "Bearer "]) {
      assert.equal(tokens.recallHeader(other), undefined, other);
    }
    clock.advance(accessTokenSeconds * 1000);
    assert.equal(tokens.recallHeader(header), undefined, "it has expired");
    assert.equal(await tokens.verifyHeader(header), undefined);
  }));

test("a header without the scheme Bearer carries no token", () =>
  withAuth({}, async ({ app }) => {
    const tokens = app.get(Tokens);
    const token = await tokens.issue(ada);
    for (const header of [token, `bearer ${token}`, `Basic ${token}`, "", "Bearer"]) {
      assert.equal(await tokens.verifyHeader(header), undefined, header);
      assert.equal(tokens.recallHeader(header), undefined, header);
    }
  }));

test("a header of more than 2048 characters is not cached", () =>
  withAuth({}, async ({ app, clock }) => {
    const tokens = app.get(Tokens);
    const payload = { user_id: "ada", exp: clock.now() / 1000 + 60, filler: "x".repeat(2000) };
    const header = `Bearer ${mint({ payload })}`;
    assert.ok(header.length > 2048);
    for (let attempt = 0; attempt < 2; attempt++) {
      assert.equal((await tokens.verifyHeader(header))?.user_id, "ada");
      assert.equal(tokens.recallHeader(header), undefined);
    }
  }));

test("an invalid token is never cached, however often it is sent", () =>
  withAuth({}, async ({ app, clock }) => {
    const tokens = app.get(Tokens);
    const forged = mint({ payload: { user_id: "ada", exp: clock.now() / 1000 + 60 }, key: "x".repeat(32) });
    for (let attempt = 0; attempt < 3; attempt++) {
      assert.equal(await tokens.verifyHeader(`Bearer ${forged}`), undefined);
      assert.equal(tokens.recallHeader(`Bearer ${forged}`), undefined);
    }
  }));
