import { hash } from "node:crypto";
import type { TypedTexts } from "./post.form.ts";

/**
 * The id of the post that a form creates: the same text from the same form has the same id, so it is saved once. The
 * author's id is part of it, so that no client can hit the post of another author.
 */
export function toPostId(authorId: string, form: string, { title, content }: TypedTexts): string {
  return toUuid(hash("sha256", JSON.stringify([authorId, form, title, content])));
}

/** The first 32 of some hexadecimal digits as a UUID of version 8 (RFC 9562, 5.8). */
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
