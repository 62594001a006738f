import type { NewPost } from "./data.ts";

/** The rules of a new post, for the bare servers. */
export function isNewPost(value: unknown): value is NewPost {
  if (typeof value !== "object" || value === null) return false;
  const { title, content, priority, published, tags } = value as Partial<Record<keyof NewPost, unknown>>;
  return (
    typeof title === "string" &&
    title.length >= 1 &&
    title.length <= 200 &&
    typeof content === "string" &&
    content.length >= 1 &&
    Number.isInteger(priority) &&
    (priority as number) >= 1 &&
    (priority as number) <= 5 &&
    typeof published === "boolean" &&
    Array.isArray(tags) &&
    tags.every((tag) => typeof tag === "string")
  );
}
