import type { Context } from "../context.ts";
import { HttpError } from "../errors.ts";
import type { Next } from "../route.ts";
import { markFactory } from "../support/middleware-factory.ts";
import { checkOptions, type OptionTable, takes } from "../support/options.ts";
import { isFileName, ServedFolder, toFilePath } from "./served-folder.ts";

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

/** A handler of `GET /assets/*`, or a middleware of such a route, which calls `next()` when there is no such file. */
export type StaticFiles = (ctx: Context, next?: Next) => Promise<unknown>;

/** For a year, without revalidation. */
export const forever = "public, max-age=31536000, immutable";

/** Serves the files below `root`. Reads what the route's `*` matched, segment by segment, never the URL. */
export function staticFiles(root: string | URL, options: StaticFilesOptions = {}): StaticFiles {
  checkOptions("staticFiles()", options, optionTable);
  const { index, maxAge = 0, immutable } = options;
  const folder = new ServedFolder("staticFiles root", root, options.types);
  const cacheControl = (path: string) => (immutable?.test(path) === true ? forever : `public, max-age=${maxAge}`);

  return async function staticFiles(ctx, next) {
    const path = findPath(ctx, index);
    const reply = path === undefined ? undefined : await folder.serve(ctx, path, () => cacheControl(path));
    if (reply !== undefined) return reply;
    if (next !== undefined) return next();
    throw new HttpError(404, "Not Found");
  };
}
markFactory(staticFiles);

function findPath(ctx: Context, index: string | undefined): string | undefined {
  if (ctx.method !== "GET" && ctx.method !== "HEAD") return undefined;
  const segments = ctx.rest();
  return toFilePath(segments.at(-1) === "" && index !== undefined ? [...segments.slice(0, -1), index] : segments);
}

const findTypeFault = ([extension, type]: [string, string]): string | [] => {
  if (!/^[a-z0-9]+$/.test(extension))
    return `has "${extension}". Write the extension in lower case and without the dot.`;
  return /^[\x20-\x7e]+\/[\x20-\x7e]+$/.test(type)
    ? []
    : `has "${type}" for ${extension}, which is not a content type.`;
};
const optionTable: OptionTable<StaticFilesOptions> = {
  index: takes.that(isFileName, 'It takes the name of a file, for example "index.html".'),
  maxAge: takes.wholeNumber(0),
  immutable: takes.pattern,
  types: (value) => Object.entries(value as object).flatMap(findTypeFault),
};
