import assert from "node:assert/strict";
import { generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { test } from "node:test";
import { Tokens } from "@tenon/auth";
import { BoundedMap } from "@tenon/core/internal";
import { secret, withAuth } from "../support/auth-app.ts";
import { withBearer } from "../support/bearer-app.ts";
import { claimsOf, mint, plainHeader, segment } from "../support/jwt.ts";
import { malformedTokens } from "../support/malformed-tokens.ts";

const names = (values: readonly unknown[], toToken: (value: unknown) => string): Record<string, string> =>
  Object.fromEntries(values.map((value, index) => [`${index}: ${JSON.stringify(value)}`, toToken(value)]));

test("only a token that names HS256 and is signed with it is accepted (J1, CVE-2022-23540, CVE-2022-23539, CVE-2022-23541)", () =>
  withBearer(async ({ assertRefused, ask, claims }) => {
    const algorithms = ["none", "None", "nOnE", "NONE", "", null, ["HS256"], 256, true, {}, "hs256", "HS256 "];
    await assertRefused(names(algorithms, (alg) => mint({ header: { alg, typ: "JWT" }, payload: claims })));
    await assertRefused(names(algorithms, (alg) => `${segment({ alg })}.${segment(claims)}.`));
    await assertRefused({ "no alg": mint({ header: { typ: "JWT" }, payload: claims }) });
    assert.equal((await ask(`Bearer ${mint({ payload: claims })}`))[0], 200);
  }));

test("the token's header chooses neither the algorithm nor the key (J2, CVE-2026-22817, CVE-2026-22818, CVE-2026-34950)", () =>
  withBearer(async ({ assertRefused, ask, claims }) => {
    const others = ["RS256", "ES256", "PS256", "EdDSA", "HS384", "HS512", "RS512", "ES256K"];
    await assertRefused(names(others, (alg) => mint({ header: { alg }, payload: claims })));
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
    const input = `${segment({ alg: "RS256", jwk: publicKey.export({ format: "jwk" }) })}.${segment(claims)}`;
    const signature = sign("sha256", Buffer.from(input), privateKey).toString("base64url");
    await assertRefused({
      "signed by its own key": `${input}.${signature}`,
      "a public key as the secret": mint({ payload: claims, key: pem }),
    });
    const pointers = [
      { jwk: { kty: "oct", k: segment("attacker") } },
      { jku: "http://127.0.0.1:9/keys" },
      { x5u: "http://127.0.0.1:9/cert" },
      { kid: "../../dev/null" },
    ];
    const header = (pointer: unknown) => ({ ...plainHeader, ...(pointer as object) }); // one of these
    await assertRefused(
      names(pointers, (pointer) => mint({ header: header(pointer), payload: claims, key: "attacker" })),
    );
    await assertRefused(names(pointers, (pointer) => mint({ header: header(pointer), payload: claims, key: "" })));
    // ignored, not followed: with the right signature the token is valid
    for (const pointer of pointers) {
      assert.equal((await ask(`Bearer ${mint({ header: header(pointer), payload: claims })}`))[0], 200);
    }
  }));

test("a key file as the secret stops the start (J2, CVE-2026-22817, CVE-2026-22818, CVE-2026-34950)", async () => {
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  for (const key of [
    publicKey.export({ type: "spki", format: "pem" }).toString(),
    `\n${publicKey.export({ type: "pkcs1", format: "pem" })}`,
    JSON.stringify(publicKey.export({ format: "jwk" })),
    ' {"keys":[]}',
  ]) {
    await assert.rejects(
      withAuth({ auth: { secret: key } }, async () => {}),
      { name: "StartError", message: /key file/ },
    );
  }
});

test("an empty secret signs and verifies nothing (J3, GHSA-gmvf-9v4p-v8jc, GHSA-8wpc-h4q6-8fxv)", async () => {
  for (const empty of ["", " ", "\0", "\0".repeat(32), "\n\t"]) {
    await assert.rejects(
      withAuth({ auth: { secret: empty } }, async () => {}),
      { name: "StartError", message: /is empty/ },
    );
  }
  await withBearer(({ assertRefused, claims }) =>
    assertRefused(
      names(["", "\0", "\0".repeat(32), "\0".repeat(64)], (key) => mint({ payload: claims, key: String(key) })),
    ),
  );
});

test("crit, b64 and zip are refused, whatever they say (J4, CVE-2026-35042)", () =>
  withBearer(async ({ assertRefused, claims }) => {
    const parameters = [
      ...[["exp"], ["b64"], [], "exp", null, {}].map((crit) => ({ crit })),
      ...[false, true, null].map((b64) => ({ b64 })),
      ...["DEF", "", null].map((zip) => ({ zip })),
    ];
    await assertRefused(
      names(parameters, (parameter) => mint({ header: { ...plainHeader, ...(parameter as object) }, payload: claims })),
    );
  }));

test("times in a token are numbers, and exp is required (J5, CVE-2026-44459)", () =>
  withBearer(async ({ assertRefused, ask, claims: { exp, ...claims } }) => {
    const token = (more: string) => mint({ payload: `${JSON.stringify(claims).slice(0, -1)}${more}}` });
    const values = ["null", '"9999999999"', "1e400", "-1e400", "-1", "[9999999999]", "true", "{}", '""'];
    await assertRefused({ "no exp": token(""), ...names(values, (value) => token(`,"exp":${value}`)) });
    const wrong = values.filter((value) => value !== "-1");
    for (const name of ["nbf", "iat"]) {
      await assertRefused(names(wrong, (value) => token(`,"exp":${exp},"${name}":${value}`)));
    }
    await assertRefused({ "not yet": token(`,"exp":${exp},"nbf":${exp - 59}`) });
    assert.equal((await ask(`Bearer ${token(`,"exp":${exp},"nbf":${exp - 60},"iat":0`)}`))[0], 200);
  }));

test("the name claims of a token are strings (J6, CVE-2025-30144)", () =>
  withBearer(async ({ assertRefused, claims }) => {
    for (const name of ["iss", "sub", "user_id", "email", "role"]) {
      const wrong = [["tenon"], ["tenon", "evil"], { tenon: true }, 1, true, null];
      await assertRefused(names(wrong, (value) => mint({ payload: { ...claims, [name]: value } })));
    }
    await assertRefused(names(["", "a\0", "\ud800"], (user_id) => mint({ payload: { ...claims, user_id } })));
  }));

test("a cached token matches only as a whole, keeps its own claims, and still expires (J7, CVE-2026-35039)", () =>
  withBearer(async ({ ask, assertRefused, claims, clock }) => {
    const users = Array.from({ length: 20 }, (_, index) => ({ ...claims, user_id: `user ${index}`, role: "user" }));
    const tokens = users.map((payload) => mint({ payload }));
    for (let round = 0; round < 3; round++) {
      await Promise.all(
        tokens.map(async (token, index) => {
          assert.deepEqual(await ask(`Bearer ${token}`), [200, [`user ${index}`, claims.email, "user"]]);
        }),
      );
    }
    const [first = "", second = ""] = tokens;
    const [head, body] = first.split(".");
    await assertRefused({
      "the signature of another": `${head}.${body}.${second.split(".")[2]}`,
      "no signature": `${head}.${body}.`,
      "one more letter": `${first}A`,
    });
    clock.advance("60s");
    await assertRefused(Object.fromEntries(tokens.map((token, index) => [`user ${index}`, token])));
    const bounded = new BoundedMap<number, number>(10);
    for (let index = 0; index < 1000; index++) bounded.set(index, index);
    assert.ok(bounded.size <= 10);
  }));

test("no claim is evaluated as a regular expression or slows down verification (J8, CVE-2026-35041)", () =>
  withBearer(async ({ ask, claims }) => {
    const hostile = ["(a+)+$", ".*", `${"a".repeat(2000)}!`, `${"a@".repeat(1000)}`, " ".repeat(2000)];
    for (const text of hostile) {
      const response = await ask(`Bearer ${mint({ payload: { ...claims, user_id: text, email: text } })}`);
      assert.deepEqual(response, [200, [text, text, ""]]);
    }
  }));

test("a token is three segments of canonical base64url, two of them JSON objects (J9, fast-jwt 111286c, 86e83ef)", () =>
  withBearer(async ({ assertRefused, claims }) => {
    const malformed = malformedTokens(claims).filter(({ token }) => !/[^\x20-\x7e]/.test(token)); // what a header can carry
    assert.ok(malformed.length > 80);
    await assertRefused(Object.fromEntries(malformed.map(({ name, token }) => [name, token])));
  }));

test("a signature is 32 bytes, and every byte is compared (J10, CVE-2025-65945, CVE-2026-21713)", () =>
  withBearer(async ({ assertRefused, claims }) => {
    const [head, body, signature = ""] = mint({ payload: claims }).split(".");
    const bytes = Buffer.from(signature, "base64url");
    const flipped = Array.from(bytes, (byte, index) => Buffer.from(bytes).fill(byte ^ 1, index, index + 1));
    const lengths = [1, 16, 31].map((length) => bytes.subarray(0, length));
    const longer = [Buffer.concat([bytes, Buffer.alloc(1)]), Buffer.concat([bytes, bytes])];
    for (const forged of [...flipped, ...lengths, ...longer, Buffer.alloc(32)]) {
      await assertRefused({ [forged.toString("hex")]: `${head}.${body}.${forged.toString("base64url")}` });
    }
  }));

test("a token is accepted only after the scheme Bearer (J11, CVE-2026-47673)", () =>
  withBearer(async ({ ask, claims }) => {
    const token = mint({ payload: claims });
    for (const form of ["Basic ", "Token ", "JWT ", "bearer ", "BEARER ", "Bearer:", "DPoP ", ""]) {
      assert.deepEqual(await ask(`${form}${token}`), [401, { error: "Invalid authorization format" }], form);
    }
    assert.equal((await ask(`Bearer ${token}`))[0], 200);
  }));

test("a token over 8 KB is refused unread, and the bytes that were verified are the bytes that are parsed (J13)", () =>
  withBearer(async ({ ask, assertRefused, claims }) => {
    const sized = (filler: number) => mint({ payload: { ...claims, filler: "x".repeat(filler) } });
    const overhead = sized(0).length;
    const largest = sized(Math.floor(((8192 - overhead) * 3) / 4) - 3);
    assert.ok(largest.length <= 8192 && largest.length > 8180);
    assert.equal((await ask(`Bearer ${largest}`))[0], 200);
    await assertRefused({ "8 KB and more": sized(6200), "12 KB of junk": "%".repeat(12_000) });
    // the last of two equal keys counts, both at the first verification and from the cache
    const twice = mint({ payload: `{"user_id":"eve","exp":1,"user_id":"ada","exp":${claims.exp}}` });
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(await ask(`Bearer ${twice}`), [200, ["ada", "", ""]]);
    }
    await assertRefused({ "two algorithms": mint({ header: '{"alg":"HS256","alg":"none"}', payload: claims }) });
  }));

test("an access token lives for exactly 86,400 seconds, and no other credential is one (J14)", () =>
  withBearer(async ({ app, ask, assertRefused, claims, clock }) => {
    const token = await app.get(Tokens).issue({ id: "ada", email: "ada@example.com", role: "user" });
    const { iat, exp } = claimsOf(token) as { iat: number; exp: number }; // what issue() has just written
    assert.deepEqual([iat, exp], [clock.now() / 1000, clock.now() / 1000 + 86_400]);
    const types = ["JOSE", "dpop+jwt", "id_token", "", null, 1];
    await assertRefused(names(types, (typ) => mint({ header: { alg: "HS256", typ }, payload: claims })));
    for (const typ of ["JWT", "jwt", "at+jwt", "at+JWT", undefined]) {
      assert.equal((await ask(`Bearer ${mint({ header: { alg: "HS256", typ }, payload: claims })}`))[0], 200);
    }
    await assertRefused({
      "a refresh token": randomUUID(),
      "the secret": secret,
      "an API key": `tnn_${"A".repeat(43)}`,
    });
    clock.advance("86399s");
    assert.equal((await ask(`Bearer ${token}`))[0], 200);
    clock.advance("1s");
    await assertRefused({ "in its last second": token });
  }));
