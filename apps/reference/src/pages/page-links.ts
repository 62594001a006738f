import { dto, type Infer, string } from "@tenon/core";
import { type Page, type PageRequest, parseCursor } from "../posts/page.ts";

const pageSize = 10;

export interface PageLinks {
  /** Whether this is the page without a cursor. */
  readonly isFirst: boolean;
  /** Undefined when there is no such page. */
  readonly newer: string | undefined;
  readonly older: string | undefined;
}

/** `?after=…` is the next page, `?before=…` the previous one. */
export const PageQuery = dto({
  after: string("min=1"),
  before: string("min=1"),
});

export function toPageRequest({ after, before }: Infer<typeof PageQuery>): PageRequest {
  if (before !== undefined) return { limit: pageSize, before: parseCursor(before) };
  return { limit: pageSize, ...(after === undefined ? {} : { after: parseCursor(after) }) };
}

/** Whether going back has reached the newest post: the page may be incomplete, so the first page is shown instead. */
export function isPastTheTop(page: Page<unknown>, request: PageRequest): boolean {
  return request.before !== undefined && page.previous === undefined;
}

export function toPageLinks(path: string, { items, next, previous }: Page<unknown>, request: PageRequest): PageLinks {
  const isFirst = request.after === undefined && request.before === undefined;
  // a page whose posts were deleted in the meantime has no first post to go back from
  const newer = previous === undefined ? undefined : `${path}?before=${previous}`;
  return {
    isFirst,
    newer: !isFirst && items.length === 0 ? path : newer,
    older: next === undefined ? undefined : `${path}?after=${next}`,
  };
}
