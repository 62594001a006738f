import type { Context } from "@tenon/core";
import { type Page, type PageRequest, parseCursor } from "../posts/page.ts";

const pageSize = 10;

export interface PageLinks {
  /** The page that newcomers see. */
  readonly isFirst: boolean;
  /** Undefined where there is no such page. */
  readonly newer: string | undefined;
  readonly older: string | undefined;
}

/** `?after=…` goes on from the page before, `?before=…` back to it. */
export function readPagePlace(ctx: Context): PageRequest {
  const [after, before] = [ctx.query("after"), ctx.query("before")];
  if (before !== "") return { limit: pageSize, before: parseCursor(before) };
  return { limit: pageSize, ...(after === "" ? {} : { after: parseCursor(after) }) };
}

/** The way back has reached the newest post, and need not have filled a page with it: the first page has. */
export function isPastTheTop(page: Page<unknown>, request: PageRequest): boolean {
  return request.before !== undefined && page.previous === undefined;
}

export function toPageLinks(path: string, { items, next, previous }: Page<unknown>, request: PageRequest): PageLinks {
  const isFirst = request.after === undefined && request.before === undefined;
  // a page that was emptied in the meantime has no first post to go back from
  const newer = previous === undefined ? undefined : `${path}?before=${previous}`;
  return {
    isFirst,
    newer: !isFirst && items.length === 0 ? path : newer,
    older: next === undefined ? undefined : `${path}?after=${next}`,
  };
}
