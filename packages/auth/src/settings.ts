import { type Problem, StartError, token } from "@tenon/core";

export interface AuthOptions {
  /** Signs access tokens. Use at least 32 random bytes; an empty secret is refused. */
  readonly secret: string;
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
  /** Whether failed logins are limited. Defaults to true. */
  readonly loginLimit?: boolean;
  /** Other origins whose pages may use the session cookie: `["https://app.example.com"]`. Defaults to none. */
  readonly trustedOrigins?: readonly string[];
}

export type AuthSettings = Required<AuthOptions>;
export const AuthSettings = token<AuthSettings>("AuthSettings");
/** `bcryptCost` of the settings, unless a test replaces it. */
export const BcryptCost = token<number>("BcryptCost");

export const accessTokenSeconds = 86_400;
export const sessionSeconds = 86_400;
export const refreshTokenSeconds = 7 * 86_400;

export function toAuthSettings(options: AuthOptions): AuthSettings {
  const settings: AuthSettings = {
    issuer: "tenon",
    bcryptCost: 14,
    passwordWait: 5000,
    claims: "full",
    missingAuthorization: "Missing authorization header",
    scheme: "Bearer",
    loginLimit: true,
    trustedOrigins: [],
    ...options,
  };
  const problems: Problem[] = [];
  const fault = findSecretFault(settings.secret);
  if (fault !== undefined) problems.push({ code: "BAD_OPTION", message: `The secret for tokens ${fault}` });
  const { bcryptCost, passwordWait } = settings;
  if (!Number.isInteger(bcryptCost) || bcryptCost < 10 || bcryptCost > 15) {
    problems.push({
      code: "BAD_OPTION",
      message: `The bcrypt cost is ${bcryptCost}. It takes a whole number from 10 to 15.`,
    });
  }
  if (!Number.isSafeInteger(passwordWait) || passwordWait < 1) {
    problems.push({
      code: "BAD_OPTION",
      message: `passwordWait is ${passwordWait}. It takes a whole number of milliseconds above zero.`,
    });
  }
  if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(settings.scheme)) {
    problems.push({
      code: "BAD_OPTION",
      message: `scheme is ${JSON.stringify(settings.scheme)}. It takes one word, for example "Bearer" or "Token".`,
    });
  }
  for (const origin of settings.trustedOrigins.filter((text) => !isOrigin(text))) {
    problems.push({
      code: "BAD_OPTION",
      message: `trustedOrigins has "${origin}". It takes origins as browsers send them, for example "https://app.example.com".`,
    });
  }
  if (problems.length > 0) throw new StartError(problems);
  return settings;
}

/** Why tokens cannot be signed with a secret, as the rest of a sentence after its name; undefined when they can. */
export function findSecretFault(secret: string): string | undefined {
  // HMAC pads a key with zeros, so a key of zeros is the same as an empty one
  if (/^[\s\0]*$/.test(secret)) return "is empty. Give it at least 32 random bytes.";
  if (/^\s*(?:-----BEGIN|\{)/.test(secret)) {
    return "looks like a key file. Tokens are signed with HS256: give it random bytes.";
  }
  return undefined;
}

/** An origin as browsers send it: `https://example.com`, without a path and without a default port. */
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
