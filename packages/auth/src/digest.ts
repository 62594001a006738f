import { createHash } from "node:crypto";

/** What is stored in the place of a secret: whoever reads the store cannot present it. */
export function digest(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
