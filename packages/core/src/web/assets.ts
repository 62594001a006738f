import { posix } from "node:path";
import type { Context } from "../context/context.ts";
import { HttpError } from "../errors.ts";
import { ServedFolder, toFilePath } from "../middleware/served-folder.ts";
import { forever } from "../middleware/static-files.ts";
import { findNearest } from "../nearest.ts";
import { checkNames, namesOf, refuseOption } from "../options.ts";
import type { Reply } from "../pipeline/reply.ts";
import type { Routes } from "../route/record.ts";
import { Fingerprints, fingerprintLength, isSame } from "./fingerprints.ts";

export interface AssetsOptions {
  /** Where they are reached: `/assets` unless told otherwise. */
  readonly path?: string;
  /** Whether files may change while the application runs. */
  readonly development?: boolean;
}

export interface Assets {
  readonly routes: Routes;
  /** `blog.css` → `/assets/blog.3f2a9c1b7d.css`. Throws when there is no such file. */
  url(name: string): string;
}

const optionNames = namesOf<AssetsOptions>({ path: true, development: true });

/** Serves the files of a folder. A name with the fingerprint of the content in it is kept for a year and never asked for again. */
export function createAssets(folder: string | URL, options: AssetsOptions = {}): Assets {
  checkNames("createAssets()", options, optionNames);
  const { path: prefix = "/assets", development = false } = options;
  if (!/^(?:\/[0-9A-Za-z._~-]+)+$/.test(prefix)) {
    refuseOption(`createAssets() path is ${JSON.stringify(prefix)}. Write a plain path, for example "/assets".`);
  }
  const served = new ServedFolder("The assets folder", folder);
  const fingerprints = new Fingerprints(served.path, development);

  async function assets(ctx: Context): Promise<Reply> {
    const path = toFilePath(ctx.wildcard());
    const reply = path === undefined ? undefined : await serve(ctx, path);
    if (reply === undefined) throw new HttpError(404, "Not Found");
    return reply;
  }

  /** A file that is there under the whole name comes first: its name may hold what looks like a fingerprint. */
  async function serve(ctx: Context, path: string): Promise<Reply | undefined> {
    const plain = await served.serve(ctx, path, () => (ownHash.test(path) ? forever : askAgain));
    if (plain !== undefined) return plain;
    const { name, text } = splitName(path) ?? {};
    if (name === undefined) return undefined;
    const known = fingerprints.find(name);
    // of another version the page still gets the file; kept for a year, it would be the wrong one for a year
    return served.serve(ctx, name, (stamp) =>
      known !== undefined && known.text === text && isSame(known, stamp) ? forever : askAgain,
    );
  }

  function url(name: string): string {
    const fingerprint = fingerprints.find(name);
    if (fingerprint === undefined) throw new Error(explainMissing(name, served.path, fingerprints.names()));
    const path = ownHash.test(name) ? name : joinName(name, fingerprint.text);
    return `${prefix}/${path.split("/").map(encodeURIComponent).join("/")}`;
  }

  return { routes: [{ method: "GET", path: `${prefix}/*`, handler: assets }], url };
}

const askAgain = "public, max-age=0";

/** A bundler has put a hash into the name: `app-3f2a9c1b.js`. Digits alone are a date or a number, letters alone a word. */
const ownHash = /[.-](?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{8,64}\.[^./]+$/;

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
  const near = findNearest(name, names);
  return `There is no asset "${name}" in ${folder}.${near === undefined ? "" : ` Did you mean "${near}"?`}`;
}
