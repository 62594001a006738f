import { type Log, type Module, token } from "@tenon/core";
import { checkOptions, type Injectable, isOrigin, readEnvironment, takes } from "@tenon/core/internal";

/** Reads the role of a user; undefined for a user without one. */
export type FindRole = (userId: string) => string | undefined | Promise<string | undefined>;

export interface PlainAuthOptions {
  /**
   * Signs access tokens. Use at least 32 random bytes: in production a shorter secret is refused. With `false` there are
   * no tokens: the module has no `Tokens`, `BearerAuth` and `OptionalBearerAuth`.
   */
  readonly secret: string | false;
  /** The `iss` claim of the tokens. Defaults to "tenon". */
  readonly issuer?: string;
  /** The cost of bcrypt, 10 to 15. Defaults to 14. */
  readonly bcryptCost?: number;
  /** Milliseconds that a password may wait to be hashed before the response is 503. Defaults to 5,000. */
  readonly passwordWait?: number;
  /** Claims of an access token: all of them, or only `user_id`, `email` and the expiry. Defaults to "full". */
  readonly claims?: "full" | "short";
  /** The error message when the `Authorization` header is missing. Defaults to "Missing authorization header". */
  readonly missingAuthorization?: string;
  /** The scheme of the `Authorization` header: `Token` reads `Authorization: Token <token>`. Defaults to "Bearer". */
  readonly scheme?: string;
  /**
   * Whether `endAll()` of `Logins` ends access tokens too. Each request with a token then reads the key-value store.
   * Needs `claims: "full"`. Defaults to false: access tokens live until they expire.
   */
  readonly endTokens?: boolean;
  /** Whether failed logins are limited. Defaults to true. */
  readonly loginLimit?: boolean;
  /** Other origins whose pages may use the session cookie: `["https://app.example.com"]`. Defaults to none. */
  readonly trustedOrigins?: readonly string[];
  /**
   * Encrypts the secrets of second factors in the database, at least 32 random bytes like `secret`, which it defaults to.
   * After it changes, their users need recovery codes.
   */
  readonly secondFactorSecret?: string;
  /** Called by `SessionAuth` at each request, which sets `user_role` to the result. Without it, sessions have no role. */
  readonly findRole?: FindRole;
}

/** Each option but `imports` is a value, or a function that returns it and may `inject()` what `imports` export. */
export interface AuthOptions<Imports extends readonly Module[] = readonly Module[]>
  extends Injectable<Omit<PlainAuthOptions, "secret" | "findRole">> {
  readonly secret: PlainAuthOptions["secret"] | (() => string);
  /** Returns the function that reads a role; it may `inject()` what the data module exports, too. */
  readonly findRole?: () => FindRole;
  /** What the options inject: `[ConfigModule]`. Defaults to none. */
  readonly imports?: Imports;
}

export interface AuthSettings extends Required<Omit<PlainAuthOptions, "findRole" | "secondFactorSecret">> {
  readonly findRole: FindRole | undefined;
  readonly secondFactorSecret: string | undefined;
}
export const AuthSettings = token<AuthSettings>("authModule()");
/** `bcryptCost` of the settings, unless a test replaces it. */
export const BcryptCost = token<number>("BcryptCost");

export const sessionCookie = "session_id";
export const accessTokenSeconds = 86_400;
export const sessionSeconds = 86_400;
export const refreshTokenSeconds = 7 * 86_400;

export function toAuthSettings(options: PlainAuthOptions, log: Log): AuthSettings {
  const { production } = readEnvironment();
  const checkSecret = (value: unknown) =>
    typeof value === "string" ? findSecretFault(value, production) : "is not a text.";
  checkOptions("authModule()", options, {
    secret: takes.required((value) => (value === false ? undefined : checkSecret(value))),
    secondFactorSecret: checkSecret,
    issuer: takes.text,
    bcryptCost: takes.wholeNumber(10, 15),
    passwordWait: takes.wholeNumber(1),
    claims: takes.oneOf(["full", "short"]),
    missingAuthorization: takes.text,
    scheme: takes.match(/^[A-Za-z][A-Za-z0-9-]*$/, 'It takes one word, for example "Bearer" or "Token".'),
    endTokens: takes.flag,
    loginLimit: takes.flag,
    trustedOrigins: takes.listOf(
      isOrigin,
      'It takes origins as browsers send them, for example "https://app.example.com".',
    ),
    findRole: takes.callback,
  });
  if (options.endTokens === true && options.claims === "short") {
    const cure = 'It takes claims: "full", because short tokens do not tell which login they belong to.';
    throw new TypeError(`authModule(): endTokens is true and claims is "short". ${cure}`);
  }
  if (options.secret !== false && isShort(options.secret)) log.warn(`the secret for tokens ${shortFault}`);
  return {
    issuer: "tenon",
    bcryptCost: 14,
    passwordWait: 5000,
    claims: "full",
    missingAuthorization: "Missing authorization header",
    scheme: "Bearer",
    endTokens: false,
    loginLimit: true,
    trustedOrigins: [],
    findRole: undefined,
    secondFactorSecret: undefined,
    ...options,
  };
}

const shortFault = "has fewer than 32 bytes and can be guessed. Give it at least 32 random bytes.";

function isShort(secret: string): boolean {
  return Buffer.byteLength(secret) < 32;
}

/** Why tokens cannot be signed with a secret, as the rest of a sentence after its name; undefined when they can. */
export function findSecretFault(secret: string, production: boolean): string | undefined {
  // HMAC pads a key with zeros, so a key of zeros is the same as an empty one
  if (/^[\s\0]*$/.test(secret)) return "is empty. Give it at least 32 random bytes.";
  if (/^\s*(?:-----BEGIN|\{)/.test(secret)) {
    return "looks like a key file. Tokens are signed with HS256: give it random bytes.";
  }
  return production && isShort(secret) ? shortFault : undefined;
}
