import { constants, realpathSync, type Stats, statSync } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Context } from "../request/context.ts";
import { Reply } from "../request/reply.ts";
import { HttpError } from "../support/errors.ts";
import { refuseOption } from "../support/options.ts";
import type { Encoding } from "./encoded-stream.ts";
import { FileChunks, parseRange } from "./file-chunks.ts";
import { extensionOf, FileVariants } from "./file-variants.ts";
import { addVary, chooseEncoding } from "./negotiation.ts";

const text = "; charset=utf-8";

/** By extension in lower case. Other files are served as bytes, which browsers save and never run. */
const contentTypes: ReadonlyMap<string, string> = new Map([
  ["avif", "image/avif"],
  ["css", `text/css${text}`],
  ["csv", `text/csv${text}`],
  ["gif", "image/gif"],
  ["htm", `text/html${text}`],
  ["html", `text/html${text}`],
  ["ico", "image/x-icon"],
  ["jpeg", "image/jpeg"],
  ["jpg", "image/jpeg"],
  ["js", `text/javascript${text}`],
  ["json", `application/json${text}`],
  ["map", `application/json${text}`],
  ["md", `text/markdown${text}`],
  ["mjs", `text/javascript${text}`],
  ["mp3", "audio/mpeg"],
  ["mp4", "video/mp4"],
  ["ogg", "audio/ogg"],
  ["otf", "font/otf"],
  ["pdf", "application/pdf"],
  ["png", "image/png"],
  ["svg", `image/svg+xml${text}`],
  ["ttf", "font/ttf"],
  ["txt", `text/plain${text}`],
  ["wasm", "application/wasm"],
  ["webm", "video/webm"],
  ["webmanifest", `application/manifest+json${text}`],
  ["webp", "image/webp"],
  ["woff", "font/woff"],
  ["woff2", "font/woff2"],
  ["xml", `application/xml${text}`],
  ["zip", "application/zip"],
]);

export interface FileStamp {
  readonly size: number;
  /** Milliseconds, with their fraction. */
  readonly modified: number;
  /** The same, for changes of name, owner and content: a program cannot set it back. */
  readonly changed: number;
  readonly inode: number;
}

export function stampOf({ size, mtimeMs, ctimeMs, ino }: Stats): FileStamp {
  return { size, modified: mtimeMs, changed: ctimeMs, inode: ino };
}

/** How caches may keep a file. */
export interface Caching {
  readonly cacheControl: string;
  /** Defaults to one made of size and time. */
  readonly etag?: string | undefined;
}

interface OpenFile {
  /** Without links. */
  readonly path: string;
  readonly handle: FileHandle;
  readonly stamp: FileStamp;
  /** The encoding of a compressed variant. */
  readonly encoding?: Encoding;
}

/** The plain files below one directory, and nothing else on the disk. */
export class ServedFolder {
  /** With a trailing separator, so that `/srv/public-old` is not inside `/srv/public`. */
  readonly path: string;
  readonly #types: ReadonlyMap<string, string>;
  readonly #variants = new FileVariants();

  /** `title` begins a sentence about the folder: `staticFiles root`. */
  constructor(title: string, root: string | URL, types: Readonly<Record<string, string>> = {}) {
    this.path = resolveRoot(title, root);
    this.#types = new Map([...contentTypes, ...Object.entries(types)]);
  }

  /** Undefined without such a file. `toCaching` gets the stamp of the open file, which is not a compressed variant. */
  async serve(
    ctx: Context,
    path: string,
    toCaching: (stamp: FileStamp) => string | Caching,
  ): Promise<Reply | undefined> {
    const plain = await openInside(this.path, path);
    if (plain === undefined) return undefined;
    const file = (await this.#replace(ctx, plain)) ?? plain;
    let isSent = false;
    try {
      const caching = toCaching(plain.stamp);
      const { cacheControl, etag }: Caching = typeof caching === "string" ? { cacheControl: caching } : caching;
      ctx
        .response()
        .setHeader("content-type", this.#types.get(extname(path).slice(1).toLowerCase()) ?? "application/octet-stream")
        .setHeader("cache-control", cacheControl)
        .setHeader("x-content-type-options", "nosniff");
      const reply = toReply(ctx, file, etag);
      isSent = reply.kind === "raw"; // then its body closes the file
      return reply;
    } finally {
      if (!isSent) await file.handle.close();
    }
  }

  /** Opens the compressed variant that the client prefers and closes the file, or returns undefined. */
  async #replace(ctx: Context, { path, handle, stamp }: OpenFile): Promise<OpenFile | undefined> {
    const variants = await this.#variants.find(path);
    const current = variants.filter(({ modified }) => modified >= stamp.modified); // others are of an earlier version
    if (current.length === 0) return undefined;
    addVary(ctx.response(), "Accept-Encoding");
    const offered = current.map(({ encoding }) => encoding);
    const encoding = chooseEncoding(ctx.header("accept-encoding"), offered);
    if (encoding === undefined) return undefined;
    const variant = await openFile(path + extensionOf[encoding]).catch(() => undefined);
    if (variant === undefined) return undefined;
    await handle.close();
    return { ...variant, encoding };
  }
}

/** The path below the root, or undefined for one that is never a file. `%2F` and `%5C` separate nothing. */
export function toFilePath(segments: readonly string[]): string | undefined {
  return segments.length > 0 && segments.every(isFileName) ? segments.join("/") : undefined;
}

export function isFileName(segment: unknown): boolean {
  return typeof segment === "string" && segment !== "" && !segment.startsWith(".") && !/[/\\\0]/.test(segment);
}

// a named pipe would otherwise block a thread until something is written to it; Windows has neither flag, and undefined sets none
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const missing = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "ENXIO"]);

async function openInside(base: string, path: string): Promise<OpenFile | undefined> {
  try {
    const real = await realpath(join(base, path));
    return real.startsWith(base) ? await openFile(real) : undefined; // a link may lead out of the root
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function openFile(path: string): Promise<OpenFile | undefined> {
  const handle = await open(path, readFlags);
  let file: OpenFile | undefined;
  try {
    const stats = await handle.stat();
    if (stats.isFile()) file = { path, handle, stamp: stampOf(stats) };
    return file;
  } finally {
    if (file === undefined) await handle.close();
  }
}

/** Whether the system reports that there is no such file. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && missing.has(String(error.code));
}

function toReply(ctx: Context, { handle, stamp, encoding }: OpenFile, given: string | undefined): Reply {
  const { size, modified } = stamp;
  // with fractions of milliseconds, so that two versions of one second and one size have different tags
  const tag = given ?? `"${size.toString(36)}-${Math.round(modified * 1000).toString(36)}"`;
  // other bytes need another strong validator (RFC 9110, 8.8.3.3)
  const etag = encoding === undefined ? tag : `${tag.slice(0, -1)}-${encoding}-${size.toString(36)}"`;
  const lastModified = new Date(modified).toUTCString();
  const headers = ctx.response().setHeader("etag", etag).setHeader("last-modified", lastModified);
  if (isUnchanged(ctx, etag, lastModified)) return new Reply(304, "empty", undefined);
  const isHead = ctx.method === "HEAD";
  // a part may only be joined to a copy of the same bytes, which a weak tag or another date does not prove
  const mayBePart = !isHead && ["", etag, lastModified].includes(ctx.header("if-range"));
  const part = mayBePart ? parseRange(ctx.header("range"), size) : undefined;
  if (part === "unsatisfiable") {
    throw new HttpError(416, "Range Not Satisfiable", { headers: { "content-range": `bytes */${size}` } });
  }
  const range = part ?? { start: 0, end: size };
  if (encoding !== undefined) headers.setHeader("content-encoding", encoding);
  headers.setHeader("accept-ranges", "bytes").setHeader("content-length", String(range.end - range.start));
  if (isHead) return new Reply(200, "empty", undefined);
  if (part !== undefined) headers.setHeader("content-range", `bytes ${range.start}-${range.end - 1}/${size}`);
  return new Reply(part === undefined ? 200 : 206, "raw", new FileChunks(handle, range));
}

/** The client's copy is current. With `If-None-Match`, `If-Modified-Since` does not count (RFC 9110, 13.1.3). */
function isUnchanged(ctx: Context, etag: string, lastModified: string): boolean {
  const tags = ctx.header("if-none-match");
  if (tags !== "") return tags.split(",").some((tag) => ["*", etag, `W/${etag}`].includes(tag.trim()));
  return Date.parse(lastModified) <= Date.parse(ctx.header("if-modified-since"));
}

function resolveRoot(title: string, root: string | URL): string {
  const path = typeof root === "string" ? root : fileURLToPath(root);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) refuseOption(`${title} "${path}" is not a directory.`);
  const real = realpathSync(path);
  return real.endsWith(sep) ? real : real + sep;
}
