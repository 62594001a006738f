import { type Log, type Module, token } from "@tenon/core";
import { checkOptions, type Injectable, isOrigin, readEnvironment, takes } from "@tenon/core/internal";

/** A user as the database has it now. */
export interface FoundUser {
  readonly id?: string;
  /** Sessions set `user_role` to it. "" without one. */
  readonly role?: string | null;
}

/** Reads a user; undefined when there is none with this id. */
export type FindUser = (userId: string) => FoundUser | undefined | Promise<FoundUser | undefined>;

export interface PlainAuthOptions {
  /**
   * Signs access tokens. Use at least 32 random bytes: in production a shorter secret is refused. With `false` there are
   * no tokens: the module has no `Tokens`, `BearerAuth` and `OptionalBearerAuth`.
   */
  readonly secret: string | false;
  /** The `iss` claim of the tokens. Defaults to "tenon". */
  readonly issuer?: string;
  /** Whether tokens with another `iss`, or without one, are refused. Needs `claims: "full"`. Defaults to false. */
  readonly checkIssuer?: boolean;
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
   * Whether `endAll()` of `Logins` ends access tokens too. Each request with a token then reads the database.
   * Needs `claims: "full"`. Defaults to false: access tokens live until they expire.
   */
  readonly endTokens?: boolean;
  /** Whether failed logins and registrations are limited. Defaults to true. */
  readonly loginLimit?: boolean;
  /** Users that one network may create in an hour, see `RegistrationLimit`. Defaults to 500. */
  readonly registrationLimit?: number;
  /** Other origins whose pages may use the session cookie: `["https://app.example.com"]`. Defaults to none. */
  readonly trustedOrigins?: readonly string[];
  /**
   * Encrypts the secrets of second factors in the database, at least 32 random bytes like `secret`, which it defaults to.
   * After it changes, their users need recovery codes.
   */
  readonly secondFactorSecret?: string;
  /**
   * Called by the guards at each request: a user who is not there any more gets 401. `SessionAuth` sets `user_role` from
   * it. Without it, the credentials of a deleted user are valid until they end, and sessions have no role.
   */
  readonly findUser?: FindUser;
}

/** Each option but `imports` is a value, or a function that returns it and may `inject()` what `imports` export. */
export interface AuthOptions<Imports extends readonly Module[] = readonly Module[]>
  extends Injectable<Omit<PlainAuthOptions, "secret" | "findUser">> {
  readonly secret: PlainAuthOptions["secret"] | (() => string);
  /** Returns the function that reads a user; it may `inject()` what the data module exports, too. */
  readonly findUser?: () => FindUser;
  /** What the options inject: `[ConfigModule]`. Defaults to none. */
  readonly imports?: Imports;
}

export interface AuthSettings extends Required<Omit<PlainAuthOptions, "findUser" | "secondFactorSecret">> {
  readonly findUser: FindUser | undefined;
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
    typeof value === "string" ? findSecretProblem(value, production) : "is not a text.";
  const { secret = "" } = options;
  const given = { ...options, secret };
  checkOptions("authModule()", given, {
    secret: secret === false ? true : checkSecret,
    secondFactorSecret: checkSecret,
    issuer: true,
    checkIssuer: true,
    bcryptCost: takes.wholeNumber(10, 15),
    passwordWait: takes.wholeNumber(1),
    claims: true,
    missingAuthorization: true,
    scheme: takes.match(/^[A-Za-z][A-Za-z0-9-]*$/, 'It takes one word, for example "Bearer" or "Token".'),
    endTokens: true,
    loginLimit: true,
    registrationLimit: takes.wholeNumber(1),
    trustedOrigins: takes.listOf(
      isOrigin,
      'It takes origins as browsers send them, for example "https://app.example.com".',
    ),
    findUser: true,
  });
  for (const [name, missing] of [
    ["endTokens", "which login they belong to"],
    ["checkIssuer", "who issued them"],
  ] as const) {
    if (options[name] !== true || options.claims !== "short") continue;
    const cure = `It takes claims: "full", because short tokens do not tell ${missing}.`;
    throw new TypeError(`authModule(): ${name} is true and claims is "short". ${cure}`);
  }
  if (options.secret !== false && isShort(options.secret)) log.warn(`the secret for tokens ${shortProblem}`);
  return {
    issuer: "tenon",
    checkIssuer: false,
    bcryptCost: 14,
    passwordWait: 5000,
    claims: "full",
    missingAuthorization: "Missing authorization header",
    scheme: "Bearer",
    endTokens: false,
    loginLimit: true,
    registrationLimit: 500,
    trustedOrigins: [],
    findUser: undefined,
    secondFactorSecret: undefined,
    ...options,
  };
}

const shortProblem = "has fewer than 32 bytes and can be guessed. Give it at least 32 random bytes.";

function isShort(secret: string): boolean {
  return Buffer.byteLength(secret) < 32;
}

/** Why tokens cannot be signed with a secret, as the rest of a sentence after its name; undefined when they can. */
export function findSecretProblem(secret: string, production: boolean): string | undefined {
  // HMAC pads a key with zeros, so a key of zeros is the same as an empty one
  if (/^[\s\0]*$/.test(secret)) return "is empty. Give it at least 32 random bytes.";
  if (/^\s*(?:-----BEGIN|\{)/.test(secret)) {
    return "looks like a key file. Tokens are signed with HS256: give it random bytes.";
  }
  return production && isShort(secret) ? shortProblem : undefined;
}
