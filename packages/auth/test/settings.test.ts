import assert from "node:assert/strict";
import { test } from "node:test";
import { type AuthOptions, BearerAuth, SessionAuth, Tokens } from "@tenon/auth";
import type { Routes } from "@tenon/core";
import { startError } from "../../core/test/support/start-error.ts";
import { authAppModule, secret, withAuth } from "./support/auth-app.ts";

async function problemOf(auth: Partial<AuthOptions>): Promise<string> {
  const error = await startError(authAppModule({ auth }));
  assert.ok(error.problems.every(({ code }) => code === "BAD_OPTION"));
  return error.message;
}

test("an empty secret stops the start, and so does one that is empty for HMAC", async () => {
  for (const empty of ["", " ", "\n\t ", "\0", "\0".repeat(32)]) {
    assert.equal(
      await problemOf({ secret: empty }),
      "secret of authModule() is empty. Give it at least 32 random bytes.",
      JSON.stringify(empty),
    );
  }
});

test("a secret that looks like a key file stops the start", async () => {
  const files = [
    "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
    "\n  -----BEGIN RSA PRIVATE KEY-----\nMIIE",
    "-----BEGIN CERTIFICATE-----",
    '{"kty":"RSA","n":"abc","e":"AQAB"}',
    ' {"keys":[]}',
  ];
  for (const file of files) {
    assert.equal(
      await problemOf({ secret: file }),
      "secret of authModule() looks like a key file. Tokens are signed with HS256: give it random bytes.",
      file,
    );
  }
});

test("a secret under 32 bytes stops the start in production, and is a warning elsewhere", async () => {
  const problem = "has fewer than 32 bytes and can be guessed. Give it at least 32 random bytes.";
  const before = process.env.NODE_ENV;
  try {
    process.env.NODE_ENV = "production";
    for (const short of ["a", "é".repeat(15)]) {
      assert.equal(await problemOf({ secret: short }), `secret of authModule() ${problem}`);
    }
    await withAuth({ auth: { secret: "é".repeat(16) } }, async () => {});
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
  const warnings = (secret: string) => withAuth({ auth: { secret } }, async ({ log }) => log.messages("warn"));
  assert.deepEqual(await warnings("a"), [`the secret for tokens ${problem}`]);
  assert.deepEqual(await warnings("é".repeat(16)), []);
});

test("secret: false leaves out the tokens and their guards, and keeps the sessions", async () => {
  class Open {
    routes(): Routes {
      return [{ method: "GET", path: "/", handler: () => 1, middlewares: [SessionAuth] }];
    }
  }
  await withAuth({ auth: { secret: false }, declarations: [Open] }, async ({ app, log }) => {
    assert.equal((await app.request("GET", "/")).status, 401);
    assert.throws(() => app.get(Tokens), /Tokens/);
    assert.deepEqual(log.messages("warn"), []);
  });
  class Guarded {
    routes(): Routes {
      return [{ method: "GET", path: "/", handler: () => 1, middlewares: [BearerAuth] }];
    }
  }
  const { message } = await startError(authAppModule({ auth: { secret: false }, declarations: [Guarded] }));
  assert.match(message, /BearerAuth .*needs Tokens, which no module declares/);
  const made: unknown = () => false; // decided too late: the module has the tokens already
  assert.match(
    (await startError(authAppModule({ auth: { secret: made as () => string } }))).message,
    /there are no tokens with secret: false/,
  );
});

test("a cost of bcrypt that is not a whole number from 10 to 15 stops the start", async () => {
  for (const bcryptCost of [9, 16, 12.5, Number.NaN, 0, -10, Number.POSITIVE_INFINITY]) {
    assert.equal(
      await problemOf({ bcryptCost }),
      `bcryptCost of authModule() is ${bcryptCost}. It takes a whole number from 10 to 15.`,
    );
  }
  for (const bcryptCost of [10, 15]) await withAuth({ auth: { bcryptCost } }, async () => {});
});

test("a passwordWait that is not a whole number of milliseconds stops the start", async () => {
  for (const passwordWait of [0, -1, 1.5, Number.NaN]) {
    assert.equal(
      await problemOf({ passwordWait }),
      `passwordWait of authModule() is ${passwordWait}. It takes a whole number from 1.`,
    );
  }
});

test("a scheme that is not one word stops the start", async () => {
  for (const scheme of ["", "Bearer ", "a b", "Tok:en", "1st"]) {
    assert.equal(
      await problemOf({ scheme }),
      `scheme of authModule() is ${JSON.stringify(scheme)}. It takes one word, for example "Bearer" or "Token".`,
    );
  }
});

test("all mistakes are reported at once, without the secret", async () => {
  const message = await problemOf({ secret: `{"k":"${secret}"}`, bcryptCost: 1 });
  assert.match(message, /^2 problems:/);
  assert.ok(!message.includes(secret));
});
