import { createHash } from "node:crypto";

/** Stores keep this in place of a secret, so that a leaked store holds no usable credential. */
export function digest(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
