import type { Context } from "../context.ts";

/** By what a client tells whether its copy of a file is still good. */
export interface Validators {
  readonly etag: string;
  readonly lastModified: string;
}

/** `modified` in milliseconds, with their fraction: two versions of one second and one size are still told apart. */
export function validatorsOf(size: number, modified: number): Validators {
  return {
    etag: `"${size.toString(36)}-${Math.round(modified * 1000).toString(36)}"`,
    lastModified: new Date(modified).toUTCString(),
  };
}

/** The client's copy is good: 304. `If-None-Match` decides alone where it stands. */
export function isUnchanged(ctx: Context, { etag, lastModified }: Validators): boolean {
  const tags = ctx.header("if-none-match");
  if (tags !== "") return tags.split(",").some((tag) => ["*", etag, `W/${etag}`].includes(tag.trim()));
  const since = Date.parse(ctx.header("if-modified-since"));
  return Date.parse(lastModified) <= since;
}

/** A part may only be joined to a copy of the same bytes: a weak tag and another date do not say so. */
export function allowsRange(ctx: Context, { etag, lastModified }: Validators): boolean {
  const copy = ctx.header("if-range");
  return copy === "" || copy === etag || copy === lastModified;
}
