import type { ApiKeyRecord } from "./api-keys.ts";

/** What the guards set on the context of a request. */
export interface AuthValues {
  /** Set by every guard. */
  user_id: string;
  /** Set by the bearer guard. */
  user_email: string;
  /** Set by the bearer guard when tokens carry all claims; "" when this one has no role. */
  user_role: string;
  /** Set by the API-key guard. */
  api_key: ApiKeyRecord;
}

declare module "@tenon/core" {
  interface ContextValues extends AuthValues {}
}
