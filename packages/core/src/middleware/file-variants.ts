import { lstat } from "node:fs/promises";
import { BoundedMap } from "../support/bounded-map.ts";
import { type Encoding, encodings } from "./encoded-stream.ts";

/** What follows the name of a file: `app.js.br`. */
export const extensionOf: Readonly<Record<Encoding, string>> = { br: ".br", zstd: ".zst", gzip: ".gz" };

/** A compressed copy beside a file. */
export interface Variant {
  readonly encoding: Encoding;
  /** Milliseconds, with their fraction. */
  readonly modified: number;
}

interface Known {
  readonly variants: readonly Variant[];
  readonly until: number;
}

/** Milliseconds. A request within them costs no look at the disk. */
const lookAgain = 10_000;
const mostFiles = 1000;

/** Which files have variants. Those that come or go are noticed within ten seconds. */
export class FileVariants {
  readonly #known = new BoundedMap<string, Known>(mostFiles);

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
