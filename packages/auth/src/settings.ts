import { type Problem, StartError, token } from "@tenon/core";
import { isOrigin } from "./foreign-page.ts";

export interface AuthOptions {
  /** Signs access tokens. At least 32 bytes of chance; never empty. */
  readonly secret: string;
  /** The `iss` claim of the tokens. */
  readonly issuer?: string;
  /** bcrypt's cost, 10 to 15. */
  readonly bcryptCost?: number;
  /** Milliseconds that a password may have to wait to be hashed, past it the answer is 503: 5,000 unless told otherwise. */
  readonly passwordWait?: number;
  /** Claims of an access token: all of them, or only `user_id`, `email` and the expiry. */
  readonly claims?: "full" | "short";
  /** The text of a missing `Authorization` header. */
  readonly missingAuthorization?: string;
  /** Limits failed logins. On unless told otherwise. */
  readonly loginLimit?: boolean;
  /** Other origins whose pages may act with a session's cookie: `["https://app.example.com"]`. None unless told otherwise. */
  readonly trustedOrigins?: readonly string[];
}

export type AuthSettings = Required<AuthOptions>;
export const AuthSettings = token<AuthSettings>("AuthSettings");

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
  for (const origin of settings.trustedOrigins.filter((text) => !isOrigin(text))) {
    problems.push({
      code: "BAD_OPTION",
      message: `trustedOrigins has "${origin}". It takes what browsers send, for example "https://app.example.com".`,
    });
  }
  if (problems.length > 0) throw new StartError(problems);
  return settings;
}

/** Why tokens cannot be signed with it, to be read behind its name; undefined when they can. */
export function findSecretFault(secret: string): string | undefined {
  // HMAC fills a key up with zeros: one of nothing but zeros is the empty key
  if (/^[\s\0]*$/.test(secret)) return "is empty. Give it at least 32 random bytes.";
  if (/^\s*(?:-----BEGIN|\{)/.test(secret)) {
    return "looks like a key file. Tokens are signed with HS256: give it random bytes.";
  }
  return undefined;
}
