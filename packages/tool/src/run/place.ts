import { resolve } from "node:path";
import { type Context, string } from "@tenon/core";
import type { ApplicationPlace } from "./applications.ts";

/** The flags that choose an application. */
export const placeFlags = {
  entry: string().describe("Entry point of the application; defaults to src/main.api.ts or the one of npm start"),
  in: string().describe("Folder of the application; defaults to the current folder"),
};

export function toPlace(
  ctx: Pick<Context, "signal">,
  { entry, in: folder }: { readonly entry?: string | undefined; readonly in?: string | undefined },
): ApplicationPlace {
  return { folder: resolve(folder ?? "."), entry, signal: ctx.signal };
}
