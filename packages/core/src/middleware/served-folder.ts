import { constants, realpathSync, type Stats, statSync } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Context } from "../request/context.ts";
import { Reply } from "../request/reply.ts";
import { BoundedMap } from "../support/bounded-map.ts";
import { HttpError } from "../support/errors.ts";
import { refuseOption } from "../support/options.ts";
import { type Encoding, encodings } from "./encoded-stream.ts";
import { FileChunks, parseRange } from "./file-chunks.ts";
import { addVary, chooseEncoding } from "./negotiation.ts";

/** For a year, without revalidation. */
const forever = "public, max-age=31536000, immutable";

/** By extension in lower case. Other files are served as bytes, which browsers save and never run. */
const contentTypes = `
  avif image/avif  css text/css  csv text/csv  gif image/gif  htm text/html  html text/html  ico image/x-icon
  jpeg image/jpeg  jpg image/jpeg  js text/javascript  json application/json  map application/json  md text/markdown
  mjs text/javascript  mp3 audio/mpeg  mp4 video/mp4  ogg audio/ogg  otf font/otf  pdf application/pdf  png image/png
  svg image/svg+xml  ttf font/ttf  txt text/plain  wasm application/wasm  webm video/webm  webp image/webp
  webmanifest application/manifest+json  woff font/woff  woff2 font/woff2  xml application/xml  zip application/zip`;

function* toTypes(table: string): Generator<[extension: string, type: string]> {
  for (const [, extension = "", type = ""] of table.matchAll(/(\S+) (\S+)/g)) {
    yield [extension, /^text|json|xml/.test(type) ? `${type}; charset=utf-8` : type];
  }
}

/** How caches may keep a file. */
export interface Caching {
  /** Seconds without revalidation. Infinity for a file that never changes. */
  readonly maxAge: number;
  /** Defaults to one made of size and time. */
  readonly etag?: string | undefined;
}

interface OpenFile {
  /** Without links. */
  readonly path: string;
  readonly handle: FileHandle;
  readonly stats: Stats;
  /** The encoding of a compressed variant. */
  readonly encoding?: Encoding;
}

/** What follows the name of a file: `app.js.br`. */
const extensionOf: Readonly<Record<Encoding, string>> = { br: ".br", zstd: ".zst", gzip: ".gz" };

/** A compressed copy beside a file. */
interface Variant {
  readonly encoding: Encoding;
  /** Milliseconds, with their fraction. */
  readonly modified: number;
}

/** Milliseconds. A request within them costs no look at the disk. */
const lookAgain = 10_000;
const mostFiles = 1000;

/** Which files have variants. Those that come or go are noticed within ten seconds. */
class FileVariants {
  readonly #known = new BoundedMap<string, { readonly variants: readonly Variant[]; readonly until: number }>(
    mostFiles,
  );

  /** `path` is the real one of a file which exists. */
  async find(path: string): Promise<readonly Variant[]> {
    const known = this.#known.get(path);
    if (known !== undefined && performance.now() < known.until) return known.variants;
    const found = await Promise.all(encodings.map((encoding) => findVariant(path, encoding)));
    const variants = found.flat();
    this.#known.set(path, { variants, until: performance.now() + lookAgain });
    return variants;
  }
}

/** A link is not a variant: it may lead out of the folder. An empty file is what a failed build leaves. */
async function findVariant(path: string, encoding: Encoding): Promise<Variant | []> {
  const stats = await lstat(path + extensionOf[encoding]).catch(() => undefined);
  return stats?.isFile() === true && stats.size > 0 ? { encoding, modified: stats.mtimeMs } : [];
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
    this.#types = new Map([...toTypes(contentTypes), ...Object.entries(types)]);
  }

  /**
   * Undefined without such a file. A segment never leads to another folder: `%2F` and `%5C` separate nothing. `toCaching`
   * gets the facts of the open file, which is not a compressed variant.
   */
  async serve(
    ctx: Context,
    segments: readonly string[],
    toCaching: (stats: Stats) => Caching,
  ): Promise<Reply | undefined> {
    const path = segments.join("/");
    const isPath = segments.length > 0 && segments.every(isFileName);
    const plain = isPath ? await openInside(this.path, path) : undefined;
    if (plain === undefined) return undefined;
    const file = (await this.#replace(ctx, plain)) ?? plain;
    let isSent = false;
    try {
      const { maxAge, etag } = toCaching(plain.stats);
      ctx
        .response()
        .setHeader("content-type", this.#types.get(extname(path).slice(1).toLowerCase()) ?? "application/octet-stream")
        .setHeader("cache-control", maxAge === Number.POSITIVE_INFINITY ? forever : `public, max-age=${maxAge}`)
        .setHeader("x-content-type-options", "nosniff");
      const reply = toReply(ctx, file, etag);
      isSent = reply.kind === "raw"; // then its body closes the file
      return reply;
    } finally {
      if (!isSent) await file.handle.close();
    }
  }

  /** Opens the compressed variant that the client prefers and closes the file, or returns undefined. */
  async #replace(ctx: Context, { path, handle, stats }: OpenFile): Promise<OpenFile | undefined> {
    const variants = await this.#variants.find(path);
    const current = variants.filter(({ modified }) => modified >= stats.mtimeMs); // others are of an earlier version
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

function isFileName(segment: string): boolean {
  return segment !== "" && !segment.startsWith(".") && !/[/\\\0]/.test(segment);
}

// a named pipe would otherwise block a thread until something is written to it; Windows has neither flag, and undefined sets none
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const missing = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "ENXIO"]);

async function openInside(base: string, path: string): Promise<OpenFile | undefined> {
  try {
    const real = await realpath(join(base, path));
    return real.startsWith(base) ? await openFile(real) : undefined; // a link may lead out of the root
  } catch (error) {
    if (error instanceof Error && "code" in error && missing.has(String(error.code))) return undefined;
    throw error;
  }
}

async function openFile(path: string): Promise<OpenFile | undefined> {
  const handle = await open(path, readFlags);
  let file: OpenFile | undefined;
  try {
    const stats = await handle.stat();
    if (stats.isFile()) file = { path, handle, stats };
    return file;
  } finally {
    if (file === undefined) await handle.close();
  }
}

function toReply(ctx: Context, { handle, stats, encoding }: OpenFile, given: string | undefined): Reply {
  const { size, mtimeMs: modified } = stats;
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
