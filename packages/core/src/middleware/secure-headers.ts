import type { MiddlewareFunction } from "../route.ts";
import { checkOptions, takes } from "../support/options.ts";

const defaults = Object.freeze({
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000; includeSubDomains",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "x-permitted-cross-domain-policies": "none",
});

/** By header name: another value, or false to leave the header out. */
export type SecureHeadersOptions = { readonly [Name in keyof typeof defaults]?: string | false };

const headerText = takes.that(
  (value) => value === false || (typeof value === "string" && /^[\t\x20-\x7e]+$/.test(value)),
  "It takes the header's text, or false.",
);

/** Sets security headers. The defaults suit an API, which has no pages; a header that a handler has set is kept. */
export function secureHeaders(options: SecureHeadersOptions = {}): MiddlewareFunction {
  const names = Object.keys(defaults).map((name) => [name, headerText]);
  checkOptions<object>("secureHeaders()", options, Object.fromEntries(names));
  const chosen = Object.entries<string | false>({ ...defaults, ...options });
  const always = chosen.filter((entry): entry is [string, string] => entry[1] !== false);
  // browsers ignore it over plain http, where anything on the way could have added it (RFC 6797, 8.1)
  const plain = always.filter(([name]) => name !== "strict-transport-security");

  return function secureHeaders(ctx, next) {
    ctx.onReply(({ headers }) => {
      for (const [name, value] of ctx.request().protocol() === "https" ? always : plain) {
        if (!headers.has(name)) headers.setHeader(name, value);
      }
    });
    return next();
  };
}
