import type { Context } from "@tenon/core";
import { addVary } from "@tenon/core/internal";

type ReplyHook = Parameters<Context["onReply"]>[0];

/** The request header that carries a credential. */
export type CredentialHeader = "Authorization" | "Cookie" | "X-API-Key";

/**
 * Keeps a response that depends on a credential away from other clients of a cache, errors included. The response gets
 * `Cache-Control: no-store` unless the handler set a value, and `Vary` where that value lets caches store it. Without
 * the credential, `isSent` false, the response is that for guests: it gets `Vary` only.
 */
export function limitCaching(ctx: Context, credential: CredentialHeader, isSent = true): void {
  ctx.onReply((isSent ? whenSent : whenAbsent)[credential]);
}

const whenSent = toHooks((credential) => ({ headers }) => {
  if (!headers.has("cache-control")) headers.setHeader("cache-control", "no-store");
  else if (!/\bno-store\b/i.test(headers.header("cache-control"))) addVary(headers, credential);
});

const whenAbsent = toHooks(
  (credential) =>
    ({ headers }) =>
      addVary(headers, credential),
);

/** Made once: a guard runs for every request. */
function toHooks(make: (credential: CredentialHeader) => ReplyHook): Readonly<Record<CredentialHeader, ReplyHook>> {
  return { Authorization: make("Authorization"), Cookie: make("Cookie"), "X-API-Key": make("X-API-Key") };
}
