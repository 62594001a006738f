export { ApiKeyAuth } from "./api-key-auth.ts";
export { type ApiKeyRecord, ApiKeys, type NewApiKey } from "./api-keys.ts";
export { authModule } from "./auth-module.ts";
export { BearerAuth } from "./bearer-auth.ts";
export { Clock } from "./clock.ts";
export type { AuthValues } from "./context-values.ts";
export { LoginLimit } from "./login-limit.ts";
export { Passwords } from "./passwords.ts";
export { type Refreshed, RefreshTokens } from "./refresh-tokens.ts";
export { requireRole } from "./require-role.ts";
export { SessionAuth, sessionCookie } from "./session-auth.ts";
export { SessionOrigin } from "./session-origin.ts";
export { type Session, Sessions } from "./sessions.ts";
export {
  type AuthOptions,
  accessTokenSeconds,
  findSecretFault,
  refreshTokenSeconds,
  sessionSeconds,
} from "./settings.ts";
export { type Claims, Tokens, type TokenUser } from "./tokens.ts";
export { invalidToken } from "./unauthorized.ts";
