import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { secret } from "./auth-app.ts";
import { mint, plainHeader, segment } from "./jwt.ts";
import { malformedTokens } from "./malformed-tokens.ts";

export interface HostileToken {
  readonly name: string;
  readonly token: string;
}

/**
 * Tokens that must be refused at the given second. The signature is correct wherever possible, so that only the
 * property under test can be the reason.
 */
export function hostileTokens(now: number): HostileToken[] {
  const claims = { user_id: "ada", email: "ada@example.com", exp: now + 3600 };
  return [
    ...algorithms(claims),
    ...foreignKeys(claims),
    ...headerParameters(claims),
    ...times(claims, now),
    ...claimTypes(claims),
    ...malformedTokens(claims),
    ...otherSecrets(claims),
  ];
}

type Claims = Readonly<Record<string, unknown>>;

function withHeaders(title: string, payload: Claims, headers: readonly unknown[]): HostileToken[] {
  return headers.map((header) => ({ name: `${title} ${text(header)}`, token: mint({ header, payload }) }));
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The header does not choose how a token is verified (J1, J2). */
function algorithms(payload: Claims): HostileToken[] {
  const none = ["none", "None", "NONE", "nOnE"];
  const oddities = [
    null,
    "",
    ["HS256"],
    { HS256: true },
    256,
    true,
    "hs256",
    "HS256 ",
    " HS256",
    "HS256\u0000",
    "HMAC",
  ];
  const others = "RS256 RS384 RS512 ES256 ES384 ES512 ES256K PS256 PS384 PS512 EdDSA Ed25519 HS384 HS512 dir".split(
    " ",
  );
  return [
    ...none.map((alg) => ({ name: `alg ${alg}, not signed`, token: `${segment({ alg })}.${segment(payload)}.` })),
    ...withHeaders(
      "alg",
      payload,
      [...none, ...oddities, ...others].map((alg) => ({ alg, typ: "JWT" })),
    ),
    ...withHeaders("no alg", payload, [{ typ: "JWT" }, {}, { ALG: "HS256" }, '{"__proto__":{"alg":"HS256"}}']),
    { name: "HS384, really", token: mint({ header: { alg: "HS384" }, payload, hash: "sha384" }) },
    { name: "HS512, really", token: mint({ header: { alg: "HS512" }, payload, hash: "sha512" }) },
    { name: "alg HS256, signed as HS512", token: mint({ payload, hash: "sha512" }) },
    { name: "RS256 with its key in the header", token: signedBy("rsa", "RS256", payload) },
    { name: "EdDSA with its key in the header", token: signedBy("ed25519", "EdDSA", payload) },
  ];
}

function signedBy(type: "rsa" | "ed25519", alg: string, payload: Claims): string {
  const { publicKey, privateKey } =
    type === "rsa" ? generateKeyPairSync("rsa", { modulusLength: 2048 }) : generateKeyPairSync("ed25519");
  const input = `${segment({ alg, typ: "JWT", jwk: publicKey.export({ format: "jwk" }) })}.${segment(payload)}`;
  const signature = sign(type === "rsa" ? "sha256" : null, Buffer.from(input), privateKey);
  return `${input}.${signature.toString("base64url")}`;
}

/** No other key is used, wherever it comes from (J2, J3). */
function foreignKeys(payload: Claims): HostileToken[] {
  const jwk = { kty: "oct", alg: "HS256", k: segment("attacker") };
  const pointers: readonly [object, string | Buffer][] = [
    [{ jwk }, "attacker"],
    [{ jku: "http://127.0.0.1:9/keys", kid: "1" }, "attacker"],
    [{ x5u: "http://127.0.0.1:9/cert" }, "attacker"],
    [{ x5c: [segment("attacker")] }, "attacker"],
    [{ kid: "../../dev/null" }, ""],
    [{ kid: "/dev/null" }, Buffer.alloc(32)],
    [{ kid: "x' union select 'attacker" }, "attacker"],
    [{ kid: "attacker" }, "attacker"],
  ];
  const keys: readonly (readonly [string, string | Buffer])[] = [
    ["the empty key", ""],
    ["one zero byte", Buffer.alloc(1)],
    ["32 zero bytes", Buffer.alloc(32)],
    ["64 zero bytes", Buffer.alloc(64)],
    ["the word secret", "secret"],
    ["the word undefined", "undefined"],
    ["the secret without its last letter", secret.slice(0, -1)],
    ["the secret and a blank", `${secret} `],
    ["the secret in upper case", secret.toUpperCase()],
    ["the secret in base64", Buffer.from(secret).toString("base64")],
    ["the secret in hexadecimal", Buffer.from(secret).toString("hex")],
    ["the digest of the secret", createHash("sha256").update(secret).digest()],
  ];
  return [
    ...pointers.map(([header, key]) => ({
      name: `signed with the key of ${text(header)}`,
      token: mint({ header: { ...plainHeader, ...header }, payload, key }),
    })),
    // named in the claims too: all keys of zeros give the same signature
    ...keys.map(([name, key]) => ({
      name: `signed with ${name}`,
      token: mint({ payload: { ...payload, key: name }, key }),
    })),
  ];
}

/** No parameter changes the meaning of a token, and no token of another purpose is accepted (J4, J14). */
function headerParameters(payload: Claims): HostileToken[] {
  const meanings = [
    ...[["exp"], [], ["b64"], "exp", null, {}].map((crit) => ({ crit })),
    ...[false, true, null].map((b64) => ({ b64 })),
    { b64: false, crit: ["b64"] },
    ...["DEF", "", null].map((zip) => ({ zip })),
  ];
  const types = ["JOSE", "dpop+jwt", "id_token", "logout+jwt", "secevent+jwt", "JWT ", "", null, 1, ["JWT"], {}];
  return [
    ...withHeaders(
      "header",
      payload,
      meanings.map((parameter) => ({ ...plainHeader, ...parameter })),
    ),
    ...withHeaders(
      "typ",
      payload,
      types.map((typ) => ({ alg: "HS256", typ })),
    ),
    ...withHeaders("twice in the header:", payload, [
      '{"alg":"HS256","alg":"none"}',
      '{"alg":"HS256","typ":"JWT","typ":"x"}',
    ]),
  ];
}

/** A time is a number, and the second of the expiry is too late (J5, J14). */
function times({ exp, ...rest }: Claims, now: number): HostileToken[] {
  const claims = (extra: string) => `${JSON.stringify(rest).slice(0, -1)},${extra}}`;
  const expiries = [
    ...[
      "null",
      '"9999999999"',
      "1e400",
      "-1e400",
      "NaN",
      "Infinity",
      "-1",
      "0",
      "[9999999999]",
      "true",
      "false",
      "{}",
      '""',
    ],
    ...[`${now}`, `${now - 1}`, `${now - 0.001}`, "0x7fffffffff", "9999999999n"],
  ].map((value) => `"exp":${value}`);
  const starts = ["null", '"0"', "1e400", "[0]", "true", "{}", "NaN", '""'];
  const others = [
    ...starts.flatMap((value) => [`"nbf":${value}`, `"iat":${value}`]),
    `"nbf":${now + 1}`,
    `"nbf":${now + 0.5}`,
  ];
  const payloads = [
    JSON.stringify(rest),
    claims(`"exp":${exp},"exp":1`),
    claims(`"EXP":${exp}`),
    ...expiries.map(claims),
    ...others.map((other) => claims(`"exp":${exp},${other}`)),
  ];
  return payloads.map((payload) => ({ name: `payload ${payload}`, token: mint({ payload }) }));
}

/** A name is a string (J6). */
function claimTypes(claims: Claims): HostileToken[] {
  const wrong = [["admin"], { admin: true }, 1, true, null];
  const payloads: object[] = ["iss", "sub", "user_id", "email", "role"].flatMap((name) =>
    wrong.map((value) => ({ ...claims, [name]: value })),
  );
  const { user_id, ...nameless } = claims;
  payloads.push(
    nameless,
    { ...claims, user_id: "" },
    { ...nameless, sub: user_id },
    { ...nameless, user: { user_id } },
  );
  const texts = [
    `${JSON.stringify(nameless).slice(0, -1)},"__proto__":{"user_id":"ada"}}`,
    `${JSON.stringify(claims).slice(0, -1)},"user_id":["ada"]}`,
  ];
  return [...payloads, ...texts].map((payload) => ({ name: `payload ${text(payload)}`, token: mint({ payload }) }));
}

/** Other credentials of a client (J14). */
function otherSecrets(claims: Claims): HostileToken[] {
  return [
    { name: "a refresh token or session id", token: randomUUID() },
    { name: "an API key", token: `tnn_${segment("x".repeat(32))}` },
    { name: "the claims as JSON", token: JSON.stringify(claims) },
    { name: "a word", token: "undefined" },
    { name: "the secret", token: secret },
  ];
}
