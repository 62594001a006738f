import { constants, realpathSync, type Stats, statSync } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Context } from "../context.ts";
import { HttpError } from "../errors.ts";
import { refuseOption } from "../options.ts";
import { Reply } from "../reply.ts";
import { type ByteRange, parseRange } from "./byte-range.ts";
import { contentTypes } from "./content-types.ts";
import { FileChunks } from "./file-chunks.ts";
import { allowsRange, isUnchanged, type Validators, validatorsOf } from "./validators.ts";

export interface FileStamp {
  readonly size: number;
  /** Milliseconds, with their fraction. */
  readonly modified: number;
  /** The same, of name, owner and content: nobody can set it back. */
  readonly changed: number;
  readonly inode: number;
}

export function stampOf({ size, mtimeMs, ctimeMs, ino }: Stats): FileStamp {
  return { size, modified: mtimeMs, changed: ctimeMs, inode: ino };
}

/** How one file may be kept. */
export interface Caching {
  readonly cacheControl: string;
  /** One of size and time unless told otherwise. */
  readonly etag?: string | undefined;
}

/** The plain files below one directory, and nothing else of the disk. */
export class ServedFolder {
  /** With a trailing separator, so that `/srv/public-old` is not inside `/srv/public`. */
  readonly path: string;
  readonly #types: ReadonlyMap<string, string>;

  /** `title` as a sentence begins with it: `staticFiles root`. */
  constructor(title: string, root: string | URL, types: Readonly<Record<string, string>> = {}) {
    this.path = resolveRoot(title, root);
    this.#types = new Map([...contentTypes, ...Object.entries(types)]);
  }

  /** Undefined without such a file. `toCaching` is asked about the file that is open, so it speaks of what is sent. */
  async serve(
    ctx: Context,
    path: string,
    toCaching: (stamp: FileStamp) => string | Caching,
  ): Promise<Reply | undefined> {
    const file = await openFile(this.path, path);
    if (file === undefined) return undefined;
    const { cacheControl, etag } = await readCaching(file, toCaching);
    ctx
      .response()
      .setHeader("content-type", this.#types.get(extname(path).slice(1).toLowerCase()) ?? "application/octet-stream")
      .setHeader("cache-control", cacheControl)
      .setHeader("x-content-type-options", "nosniff");
    return toReply(ctx, file, etag);
  }
}

/** The path below the root, or undefined for what is never a file of ours. `%2F` and `%5C` separate nothing. */
export function toFilePath(segments: readonly string[]): string | undefined {
  return segments.length > 0 && segments.every(isFileName) ? segments.join("/") : undefined;
}

export function isFileName(segment: string): boolean {
  return segment !== "" && !segment.startsWith(".") && !/[/\\\0]/.test(segment);
}

interface OpenFile {
  readonly handle: FileHandle;
  readonly stamp: FileStamp;
}

// a named pipe would otherwise hold a thread until somebody writes to it; Windows knows neither flag, and undefined sets none
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const missing = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "ENXIO"]);

async function openFile(base: string, path: string): Promise<OpenFile | undefined> {
  const handle = await openInside(base, path);
  if (handle === undefined) return undefined;
  let kept = false;
  try {
    const stats = await handle.stat();
    kept = stats.isFile();
    return kept ? { handle, stamp: stampOf(stats) } : undefined;
  } finally {
    if (!kept) await handle.close();
  }
}

/** In development it reads the disk, where it may fail: the file must not stay open then. */
async function readCaching(
  { handle, stamp }: OpenFile,
  toCaching: (stamp: FileStamp) => string | Caching,
): Promise<Caching> {
  try {
    const caching = toCaching(stamp);
    return typeof caching === "string" ? { cacheControl: caching } : caching;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openInside(base: string, path: string): Promise<FileHandle | undefined> {
  try {
    const real = await realpath(join(base, path));
    return real.startsWith(base) ? await open(real, readFlags) : undefined; // a link may lead out of the root
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Whether there is no such file, as the system says it. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && missing.has(String(error.code));
}

/** Closes the file, or hands it to the chunks, which do. */
async function toReply(ctx: Context, { handle, stamp }: OpenFile, etag: string | undefined): Promise<Reply> {
  const headers = ctx.response();
  const bySize = validatorsOf(stamp.size, stamp.modified);
  const validators = etag === undefined ? bySize : { ...bySize, etag };
  const { size } = stamp;
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

function resolveRoot(title: string, root: string | URL): string {
  const path = typeof root === "string" ? root : fileURLToPath(root);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) refuseOption(`${title} "${path}" is not a directory.`);
  const real = realpathSync(path);
  return real.endsWith(sep) ? real : real + sep;
}
