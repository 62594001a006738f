import type { Stats } from "node:fs";
import { posix } from "node:path";
import { type Context, HttpError, type Reply, type Routes, route } from "@tenon/core";
import { ServedFolder } from "@tenon/core/internal";
import { describeMissing } from "../views/describe-missing.ts";
import { type Fingerprint, Fingerprints, fingerprintLength, isSame } from "./fingerprints.ts";

export interface AssetsOptions {
  /** Names that contain a hash besides those that are recognised. */
  readonly immutable?: RegExp | undefined;
  /** Whether files may change while the application runs. Defaults to false. */
  readonly development?: boolean;
}

export interface Assets {
  readonly routes: Routes;
  /** `blog.css` → `/assets/blog.3f2a9c1b7d.css`. Throws when there is no such file. */
  url(name: string): string;
}

const prefix = "/assets";
/** Seconds, see `ServedFolder`. */
const [forever, askAgain] = [Number.POSITIVE_INFINITY, 0];

/** Serves the files of a folder. Under a name with the fingerprint of its content, a file is cached for a year. */
export function createAssets(folder: string | URL, { immutable, development = false }: AssetsOptions = {}): Assets {
  const served = new ServedFolder("The assets folder", folder);
  const fingerprints = new Fingerprints(served.path, development);
  const isHashed = (path: string) => esbuildHash.test(path) || hexHash.test(path) || immutable?.test(path) === true;

  async function assets(ctx: Context): Promise<Reply> {
    const reply = await serve(ctx, ctx.rest());
    if (reply === undefined) throw new HttpError(404, "Not Found");
    return reply;
  }

  /** A file with exactly this name comes first: its name may contain what looks like a fingerprint. */
  async function serve(ctx: Context, segments: readonly string[]): Promise<Reply | undefined> {
    const path = segments.join("/");
    const plain = await served.serve(ctx, segments, (stats) => ({
      maxAge: isHashed(path) ? forever : askAgain,
      etag: toEtag(fingerprints.find(path), stats),
    }));
    if (plain !== undefined) return plain;
    const { name, text } = splitName(segments.at(-1) ?? "") ?? {};
    if (name === undefined) return undefined;
    const current = [...segments.slice(0, -1), name];
    const known = fingerprints.find(current.join("/"));
    // an old fingerprint still gets the file, but not cached: it would be the wrong content for a year
    return served.serve(ctx, current, (stats) => {
      const etag = toEtag(known, stats);
      return { maxAge: etag !== undefined && known?.text === text ? forever : askAgain, etag };
    });
  }

  function url(name: string): string {
    const fingerprint = fingerprints.find(name);
    if (fingerprint === undefined) throw new Error(describeMissing("asset", name, served.path, fingerprints.names()));
    const path = isHashed(name) ? name : joinName(name, fingerprint.text);
    return `${prefix}/${path.split("/").map(encodeURIComponent).join("/")}`;
  }

  return { routes: [route.get(`${prefix}/*`, { hidden: true }, assets)], url };
}

/** Made of the content, where it is known: two machines have different times for the same file. */
function toEtag(known: Fingerprint | undefined, stats: Stats): string | undefined {
  return known !== undefined && isSame(known, stats) ? `"${known.text}"` : undefined;
}

/** A bundler's hash in the name: `app-3f2a9c1b.js`. Digits alone are a date or a number, letters alone a word. */
const hexHash = /[.-](?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{8,64}\.[^./]+$/;

/** `app-5KVBQZ2A.js`. Without a digit before a letter it may be a word, or one with a number: `HOLIDAY2`. */
const esbuildHash = /-(?=[A-Z2-7]*[2-7][A-Z])[A-Z2-7]{8}\.[^./]+$/;

const fingerprinted = new RegExp(`^(.+)\\.([0-9a-f]{${fingerprintLength}})(\\.[^./]*)?$`);

/** `img/logo.png` → `img/logo.3f2a9c1b7d.png` */
function joinName(name: string, text: string): string {
  const extension = posix.extname(name);
  return `${name.slice(0, name.length - extension.length)}.${text}${extension}`;
}

function splitName(path: string): { name: string; text: string } | undefined {
  const [whole, stem = "", text = "", extension = ""] = fingerprinted.exec(path) ?? [];
  return whole === undefined ? undefined : { name: stem + extension, text };
}
