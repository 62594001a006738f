import { hash } from "node:crypto";
import type { TypedTexts } from "./post.form.ts";

/**
 * The id of the post that a form makes: the same text from the same form has the same one, and so is saved once. Made
 * from the author's own id, it can meet no post of somebody else, whatever a client sends as the form.
 */
export function toPostId(authorId: string, form: string, { title, content }: TypedTexts): string {
  return toUuid(hash("sha256", JSON.stringify([authorId, form, title, content])));
}

/** The first 32 of some hexadecimal digits as a UUID of version 8 (RFC 9562): one made by a rule of our own. */
export function toUuid(digits: string): string {
  const variant = "89ab"[Number.parseInt(digits.charAt(16), 16) % 4];
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join("-");
}
