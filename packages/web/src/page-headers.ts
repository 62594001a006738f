import type { MiddlewareFunction } from "@tenon/core";
import { type SecureHeadersOptions, secureHeaders } from "@tenon/core/middleware";

const forPages: SecureHeadersOptions = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  // a failed form leads back to where it was sent from, which only this header tells
  "referrer-policy": "same-origin",
};

/** `secureHeaders()` for pages: scripts, styles and images from this site only, nothing inline, no frames around it. */
export function pageHeaders(options: SecureHeadersOptions = {}): MiddlewareFunction {
  return secureHeaders({ ...forPages, ...options });
}
