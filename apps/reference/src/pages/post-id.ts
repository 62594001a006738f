import { hash } from "node:crypto";
import type { TypedTexts } from "./post.form.ts";

/**
 * The id of the post that a form makes: the same text from the same form has the same one, and so is saved once. Made
 * from the author's own id, it can meet no post of somebody else, whatever a client sends as the form.
 */
export function toPostId(authorId: string, form: string, { title, content }: TypedTexts): string {
  const digest = hash("sha256", JSON.stringify([authorId, form, title, content]));
  const variant = "89ab"[Number.parseInt(digest.charAt(16), 16) % 4];
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`, // version 8 of RFC 9562: made by a rule of our own
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join("-");
}
