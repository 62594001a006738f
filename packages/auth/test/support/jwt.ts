import { createHmac } from "node:crypto";
import { secret } from "./auth-app.ts";

export interface Forgery {
  /** An object, or JSON text that is used unchanged. */
  readonly header?: unknown;
  readonly payload?: unknown;
  readonly key?: string | Buffer;
  readonly hash?: "sha256" | "sha384" | "sha512";
}

export const plainHeader = { alg: "HS256", typ: "JWT" };

/** A token with any header and payload. Defaults to a correct signature and a valid header, so that a test chooses the only flaw. */
export function mint({ header = plainHeader, payload, key = secret, hash = "sha256" }: Forgery): string {
  const input = `${segment(header)}.${segment(payload)}`;
  return `${input}.${createHmac(hash, key).update(input).digest("base64url")}`;
}

export function segment(value: unknown): string {
  const bytes = Buffer.isBuffer(value) ? value : Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
  return bytes.toString("base64url");
}

export function claimsOf(token: string): unknown {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}

export function headerOf(token: string): unknown {
  return JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString());
}
