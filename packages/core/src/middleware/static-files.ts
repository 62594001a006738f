import { constants, realpathSync, statSync } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Context } from "../context/context.ts";
import { HttpError } from "../errors.ts";
import { checkNames, checkWholeNumber, refuseOption } from "../options.ts";
import type { Next } from "../pipeline/middleware.ts";
import { Reply } from "../pipeline/reply.ts";
import { type ByteRange, parseRange } from "./byte-range.ts";
import { contentTypes } from "./content-types.ts";
import { FileChunks } from "./file-chunks.ts";
import { allowsRange, isUnchanged, type Validators, validatorsOf } from "./validators.ts";

export interface StaticFilesOptions {
  /** The file that stands for a directory, asked for with a trailing slash: `"index.html"`. None unless told otherwise. */
  readonly index?: string;
  /** Seconds for which a browser need not ask again. Zero unless told otherwise: it asks each time and mostly gets 304. */
  readonly maxAge?: number;
  /** Paths below the root that never change, because a hash is part of them: kept for a year and never asked for again. */
  readonly immutable?: RegExp;
  /** More content types, by extension without the dot. */
  readonly types?: Readonly<Record<string, string>>;
}

/** A handler of `GET /assets/*`, or a middleware on such a route: without a file of that name it then calls `next()`. */
export type StaticFiles = (ctx: Context, next?: Next) => Promise<unknown>;

const forever = "public, max-age=31536000, immutable";

/** Serves the files below `root`. Looks at what the route's `*` matched, segment by segment, never at the URL. */
export function staticFiles(root: string | URL, options: StaticFilesOptions = {}): StaticFiles {
  checkOptions(options);
  const { index, maxAge = 0, immutable } = options;
  const base = resolveRoot(root);
  const types = new Map([...contentTypes, ...Object.entries(options.types ?? {})]);

  return async function staticFiles(ctx, next) {
    const path = toFilePath(ctx, index);
    const file = path === undefined ? undefined : await openFile(base, path);
    if (path === undefined || file === undefined) {
      if (next !== undefined) return next();
      throw new HttpError(404, "Not Found");
    }
    ctx
      .response()
      .setHeader("content-type", types.get(extname(path).slice(1).toLowerCase()) ?? "application/octet-stream")
      .setHeader("cache-control", immutable?.test(path) === true ? forever : `public, max-age=${maxAge}`)
      .setHeader("x-content-type-options", "nosniff");
    return toReply(ctx, file);
  };
}

/** The path below the root, or undefined for what is never a file of ours. `%2F` and `%5C` separate nothing. */
function toFilePath(ctx: Context, index: string | undefined): string | undefined {
  if (ctx.method !== "GET" && ctx.method !== "HEAD") return undefined;
  const segments = ctx.wildcard();
  const names = segments.at(-1) === "" && index !== undefined ? [...segments.slice(0, -1), index] : segments;
  return names.length > 0 && names.every(isFileName) ? names.join("/") : undefined;
}

function isFileName(segment: string): boolean {
  return segment !== "" && !segment.startsWith(".") && !/[/\\\0]/.test(segment);
}

interface OpenFile {
  readonly handle: FileHandle;
  readonly size: number;
  readonly validators: Validators;
}

// a named pipe would otherwise hold a thread until somebody writes to it; Windows knows neither flag
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const missing = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "ENXIO"]);

async function openFile(base: string, path: string): Promise<OpenFile | undefined> {
  const handle = await openInside(base, path);
  if (handle === undefined) return undefined;
  let kept = false;
  try {
    const stats = await handle.stat();
    kept = stats.isFile();
    return kept ? { handle, size: stats.size, validators: validatorsOf(stats.size, stats.mtimeMs) } : undefined;
  } finally {
    if (!kept) await handle.close();
  }
}

async function openInside(base: string, path: string): Promise<FileHandle | undefined> {
  try {
    const real = await realpath(join(base, path));
    return real.startsWith(base) ? await open(real, readFlags) : undefined; // a link may lead out of the root
  } catch (error) {
    if (error instanceof Error && "code" in error && missing.has(String(error.code))) return undefined;
    throw error;
  }
}

/** Closes the file, or hands it to the chunks, which do. */
async function toReply(ctx: Context, { handle, size, validators }: OpenFile): Promise<Reply> {
  const headers = ctx.response();
  const { status, range } = toPlan(ctx, size, validators);
  headers.setHeader("etag", validators.etag).setHeader("last-modified", validators.lastModified);
  if (range === undefined) {
    await handle.close();
    if (status === 416) {
      throw new HttpError(416, "Range Not Satisfiable", { headers: { "content-range": `bytes */${size}` } });
    }
    if (status === 200) headers.setHeader("accept-ranges", "bytes").setHeader("content-length", String(size));
    return new Reply(status, "empty", undefined);
  }
  headers.setHeader("accept-ranges", "bytes").setHeader("content-length", String(range.end - range.start));
  if (status === 206) headers.setHeader("content-range", `bytes ${range.start}-${range.end - 1}/${size}`);
  return new Reply(status, "raw", new FileChunks(handle, range));
}

/** Without a range there is nothing to send: unchanged, HEAD, or asked for a part that does not exist. */
function toPlan(ctx: Context, size: number, validators: Validators): { status: number; range?: ByteRange } {
  if (isUnchanged(ctx, validators)) return { status: 304 };
  if (ctx.method === "HEAD") return { status: 200 };
  const range = allowsRange(ctx, validators) ? parseRange(ctx.header("range"), size) : undefined;
  if (range === "unsatisfiable") return { status: 416 };
  return range === undefined ? { status: 200, range: { start: 0, end: size } } : { status: 206, range };
}

/** With a trailing separator, so that `/srv/public-old` is not inside `/srv/public`. */
function resolveRoot(root: string | URL): string {
  const path = typeof root === "string" ? root : fileURLToPath(root);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) refuseOption(`staticFiles root "${path}" is not a directory.`);
  const real = realpathSync(path);
  return real.endsWith(sep) ? real : real + sep;
}

function checkOptions(options: StaticFilesOptions): void {
  checkNames("staticFiles()", options, ["index", "maxAge", "immutable", "types"]);
  const { index, maxAge, immutable, types = {} } = options;
  if (maxAge !== undefined) checkWholeNumber("staticFiles maxAge", maxAge, 0);
  if (index !== undefined && !isFileName(index)) {
    refuseOption(`staticFiles index is "${index}". It takes the name of a file, for example "index.html".`);
  }
  if (immutable !== undefined && (immutable.global || immutable.sticky)) {
    refuseOption(`staticFiles immutable is ${immutable}. With g or y it would remember the last path: leave them out.`);
  }
  for (const [extension, type] of Object.entries(types)) {
    if (!/^[a-z0-9]+$/.test(extension)) {
      refuseOption(`staticFiles types has "${extension}". Write the extension in lower case and without the dot.`);
    }
    if (!/^[\x20-\x7e]+\/[\x20-\x7e]+$/.test(type))
      refuseOption(`staticFiles types.${extension} is "${type}", no content type.`);
  }
}
