import { resolve } from "node:path";
import { boolean, type Context } from "@tenon/core";
import { placeFlags } from "../run/place.ts";

/** The flags of every generator. */
export const generatorFlags = {
  in: placeFlags.in,
  no_install: boolean().describe("Skip npm install, which runs before a dependency is added"),
};

/** Where a generator writes. */
export interface Generation {
  /** The folder of the application. */
  readonly folder: string;
  /** Whether npm install runs when a dependency is added. */
  readonly install: boolean;
  readonly signal: AbortSignal;
}

export function toGeneration(
  { signal }: Context,
  { in: folder = ".", no_install }: { readonly in?: string; readonly no_install?: boolean },
): Generation {
  return { folder: resolve(folder), install: no_install !== true, signal };
}
