import { mediaTypeOf } from "@tenon/server/internal";
import type { MiddlewareFunction } from "../request/handler.ts";
import type { Outgoing } from "../request/reply.ts";
import { checkOptions } from "../support/options.ts";

const policyName = "content-security-policy";
const dataPolicy = "default-src 'none'; frame-ancestors 'none'";
/** This site only, nothing inline, no frames around it. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/** A worker is subject to the policy of its script, not to that of the page. */
const pageTypes = ["text/html", "text/javascript"];

const defaults = Object.freeze({
  [policyName]: undefined,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  // nothing leaves this site; a failed form redirects to its page, which is known from the Referer only
  "referrer-policy": "same-origin",
  "strict-transport-security": "max-age=31536000; includeSubDomains",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "x-permitted-cross-domain-policies": "none",
});

/** By header name: another value, or false to leave the header out. */
export type SecureHeadersOptions = { readonly [Name in keyof typeof defaults]?: string | false };

/** Sets security headers, of which the policy depends on the content type. A header that a handler has set is kept. */
export function secureHeaders(options: SecureHeadersOptions = {}): MiddlewareFunction {
  checkOptions<object>(
    "secureHeaders()",
    options,
    Object.fromEntries(Object.keys(defaults).map((name) => [name, true])),
  );
  const chosen = Object.entries<string | false | undefined>({ ...defaults, ...options });
  const always = chosen.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  // browsers ignore it over plain http, where anything on the way could have added it (RFC 6797, 8.1)
  const plain = always.filter(([name]) => name !== "strict-transport-security");

  return function secureHeaders(ctx, next) {
    ctx.onReply((reply) => {
      const { headers } = reply;
      for (const [name, value] of ctx.request().protocol() === "https" ? always : plain) {
        if (!headers.has(name)) headers.setHeader(name, value);
      }
      if (options[policyName] === undefined) setPolicy(reply);
    });
    return next();
  };
}

function setPolicy({ status, type, headers }: Outgoing): void {
  // a browser would replace the policy of its copy of the page by that of a response without a type (RFC 9111, 3.2)
  if (status === 304 || headers.has(policyName)) return;
  headers.setHeader(policyName, pageTypes.includes(mediaTypeOf(type)) ? pagePolicy : dataPolicy);
}
