import type { Context } from "../request/context.ts";
import { HttpError } from "../support/errors.ts";
import { checkOptions, takes } from "../support/options.ts";
import { ServedFolder } from "./served-folder.ts";

export interface StaticFilesOptions {
  /** The file to send for a path that ends with a slash: `"index.html"`. Defaults to none. */
  readonly index?: string;
  /** Seconds for which a browser may use its copy. Defaults to 0: it asks each time, and mostly gets 304. */
  readonly maxAge?: number;
  /** Paths below the root that never change, because a hash is part of them: browsers keep them for a year. */
  readonly immutable?: RegExp;
  /** More content types, by extension without the dot. */
  readonly types?: Readonly<Record<string, string>>;
}

/** A handler of `GET /assets/*`, which may have a contract, or a middleware of it, which calls `next()` for a missing file. */
export type StaticFiles = (ctx: Context, next?: unknown) => Promise<unknown>;

/** Serves the files below `root`. Reads what the route's `*` matched, segment by segment, never the URL. */
export function staticFiles(root: string | URL, options: StaticFilesOptions = {}): StaticFiles {
  checkOptions("staticFiles()", options, { index: true, maxAge: takes.wholeNumber(0), immutable: true, types: true });
  const { index, maxAge = 0, immutable } = options;
  const folder = new ServedFolder("staticFiles root", root, options.types);

  return async function staticFiles(ctx, next) {
    const path = findPath(ctx, index);
    const isImmutable = immutable?.test(path.join("/")) === true;
    const reply = await folder.serve(ctx, path, () => ({ maxAge: isImmutable ? Number.POSITIVE_INFINITY : maxAge }));
    if (reply !== undefined) return reply;
    if (typeof next === "function") return next(); // a handler with a contract gets its input
    throw new HttpError(404, "Not Found");
  };
}

/** No segments where there is no file. */
function findPath(ctx: Context, index: string | undefined): readonly string[] {
  if (ctx.method !== "GET" && ctx.method !== "HEAD") return [];
  const segments = ctx.rest();
  return segments.at(-1) === "" && index !== undefined ? [...segments.slice(0, -1), index] : segments;
}
