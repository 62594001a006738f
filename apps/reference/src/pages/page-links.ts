import { dto, type Infer, string } from "@tenon/core";
import type { Page } from "@tenon/data";

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
export type PageQuery = Infer<typeof PageQuery>;

export function toPageRequest({ after, before }: PageQuery) {
  return { limit: pageSize, cursor: before ?? after };
}

/** Whether going back has reached the newest post: the page may be incomplete, so the first page is shown instead. */
export function isPastTheTop({ previous }: Page<unknown>, { before }: PageQuery): boolean {
  return before !== undefined && previous === null;
}

export function toPageLinks(path: string, { items, next, previous }: Page<unknown>, query: PageQuery): PageLinks {
  const isFirst = query.after === undefined && query.before === undefined;
  // a page whose posts were deleted in the meantime has no first post to go back from
  const newer = previous === null ? undefined : `${path}?before=${previous}`;
  return {
    isFirst,
    newer: !isFirst && items.length === 0 ? path : newer,
    older: next === null ? undefined : `${path}?after=${next}`,
  };
}
