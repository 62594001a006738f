import { createHash, randomBytes } from "node:crypto";

/** 256 random bits as text. */
export function createSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** Stores keep this instead of a secret, so that a leaked store holds no usable credential. */
export function digest(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
