export { ApiKeyAuth } from "./api-key-auth.ts";
export { type ApiKeyListener, type ApiKeyRecord, ApiKeys } from "./api-keys.ts";
export { authModule } from "./auth-module.ts";
export { BearerAuth, OptionalBearerAuth } from "./bearer-auth.ts";
export type { AuthValues } from "./context-values.ts";
export { limitCaching } from "./limit-caching.ts";
export { loginAs } from "./login-as.ts";
export { LoginLimit } from "./login-limit.ts";
export { Logins } from "./logins.ts";
export { PasswordLogin, type PasswordLoginInput, type PasswordUser } from "./password-login.ts";
export { Passwords } from "./passwords.ts";
export { type LoadedBy, loaded, Policy, type PolicyErrors } from "./policy.ts";
export { RecentLogin } from "./recent-login.ts";
export { RecentLogins, recentLoginSeconds } from "./recent-logins.ts";
export { RefreshTokens } from "./refresh-tokens.ts";
export { RegistrationLimit } from "./registration-limit.ts";
export { requireRole } from "./require-role.ts";
export { requireScope } from "./require-scope.ts";
export { type NewSecondFactor, SecondFactor, type SecondFactorListener } from "./second-factor.ts";
export { SecondFactorRequired } from "./second-factor-required.ts";
export { SessionAuth, SessionOrigin } from "./session-auth.ts";
export type { SessionEntry } from "./session-index.ts";
export { type SessionLogin, type SessionRecord, Sessions } from "./sessions.ts";
export {
  type AuthOptions,
  accessTokenSeconds,
  findSecretProblem,
  refreshTokenSeconds,
  sessionCookie,
  sessionSeconds,
} from "./settings.ts";
export { type Claims, Tokens } from "./tokens.ts";
export type { TracedHash } from "./tracing.ts";
export { invalidToken } from "./unauthorized.ts";
export { useFastPasswords } from "./use-fast-passwords.ts";
