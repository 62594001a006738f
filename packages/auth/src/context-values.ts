import type { ApiKeyRecord } from "./api-keys.ts";
import type { Claims } from "./tokens.ts";

/** The context values that the guards set. */
export interface AuthValues {
  /** Set by every guard. */
  user_id: string;
  /** Set by the bearer guard. */
  user_email: string;
  /**
   * Set by the bearer guard when tokens carry all claims, and by the session guard when the module has `findUser`. "" for
   * a user without a role.
   */
  user_role: string;
  /** Set by both bearer guards when the request has a token. */
  user_claims?: Claims;
  /** Set by the bearer guards when the `scheme` of the module is not "Bearer". */
  auth_scheme?: string;
  /** Set by the API-key guard. */
  api_key: ApiKeyRecord;
}

declare module "@tenon/core" {
  interface GuardValues extends AuthValues {}
}
