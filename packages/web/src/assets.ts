import { posix } from "node:path";
import type { Context, Reply, Routes } from "@tenon/core";
import { HttpError } from "@tenon/core";
import {
  checkNames,
  type FileStamp,
  forever,
  namesOf,
  refuseOption,
  ServedFolder,
  toFilePath,
} from "@tenon/core/platform";
import { type Fingerprint, Fingerprints, fingerprintLength, isSame } from "./fingerprints.ts";
import { findNearestPath } from "./nearest-path.ts";

export interface AssetsOptions {
  /** Where they are reached: `/assets` unless told otherwise. */
  readonly path?: string;
  /** Names that never change, because a hash is part of them, besides those that are recognised. */
  readonly immutable?: RegExp | undefined;
  /** Whether files may change while the application runs. */
  readonly development?: boolean;
}

export interface Assets {
  readonly routes: Routes;
  /** `blog.css` → `/assets/blog.3f2a9c1b7d.css`. Throws when there is no such file. */
  url(name: string): string;
}

const optionNames = namesOf<AssetsOptions>({ path: true, immutable: true, development: true });

/** Serves the files of a folder. A name with the fingerprint of the content in it is kept for a year and never asked for again. */
export function createAssets(folder: string | URL, options: AssetsOptions = {}): Assets {
  checkNames("createAssets()", options, optionNames);
  const { path: prefix = "/assets", immutable, development = false } = options;
  if (!/^(?:\/[0-9A-Za-z._~-]+)+$/.test(prefix)) {
    refuseOption(`createAssets() path is ${JSON.stringify(prefix)}. Write a plain path, for example "/assets".`);
  }
  if (immutable !== undefined && (!(immutable instanceof RegExp) || immutable.global || immutable.sticky)) {
    refuseOption(`assets.immutable of web() is ${String(immutable)}. It takes a pattern without the flags g and y.`);
  }
  const served = new ServedFolder("The assets folder", folder);
  const fingerprints = new Fingerprints(served.path, development);
  const isHashed = (path: string) => esbuildHash.test(path) || hexHash.test(path) || immutable?.test(path) === true;

  async function assets(ctx: Context): Promise<Reply> {
    const path = toFilePath(ctx.rest());
    const reply = path === undefined ? undefined : await serve(ctx, path);
    if (reply === undefined) throw new HttpError(404, "Not Found");
    return reply;
  }

  /** A file that is there under the whole name comes first: its name may hold what looks like a fingerprint. */
  async function serve(ctx: Context, path: string): Promise<Reply | undefined> {
    const plain = await served.serve(ctx, path, (stamp) => ({
      cacheControl: isHashed(path) ? forever : askAgain,
      etag: toEtag(fingerprints.find(path), stamp),
    }));
    if (plain !== undefined) return plain;
    const { name, text } = splitName(path) ?? {};
    if (name === undefined) return undefined;
    const known = fingerprints.find(name);
    // of another version the page still gets the file; kept for a year, it would be the wrong one for a year
    return served.serve(ctx, name, (stamp) => {
      const etag = toEtag(known, stamp);
      return { cacheControl: etag !== undefined && known?.text === text ? forever : askAgain, etag };
    });
  }

  function url(name: string): string {
    const fingerprint = fingerprints.find(name);
    if (fingerprint === undefined) throw new Error(explainMissing(name, served.path, fingerprints.names()));
    const path = isHashed(name) ? name : joinName(name, fingerprint.text);
    return `${prefix}/${path.split("/").map(encodeURIComponent).join("/")}`;
  }

  return { routes: [{ method: "GET", path: `${prefix}/*`, handler: assets }], url };
}

const askAgain = "public, max-age=0";

/** Of the content, where it is known: two machines serve one file with two times, and one tag. */
function toEtag(known: Fingerprint | undefined, stamp: FileStamp): string | undefined {
  return known !== undefined && isSame(known, stamp) ? `"${known.text}"` : undefined;
}

/** A bundler has put a hash into the name: `app-3f2a9c1b.js`. Digits alone are a date or a number, letters alone a word. */
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

function explainMissing(name: string, folder: string, names: Iterable<string>): string {
  const near = findNearestPath(name, names);
  return `There is no asset "${name}" in ${folder}.${near === undefined ? "" : ` Did you mean "${near}"?`}`;
}
