import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where the tool runs from, which decides how a new application finds the packages. */
export interface Origin {
  readonly version: string;
  /** The folder of the packages in a checkout; undefined for an installed tool. */
  readonly checkout: string | undefined;
}

/** The folder of this package: its parent is the same for `src` and for `dist`. */
export const packageFolder = fileURLToPath(new URL("../", import.meta.url));

export function readOrigin(folder: string = packageFolder): Origin {
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }; // npm refuses others
  const packages = join(folder, "..");
  const isCheckout = existsSync(join(packages, "core", "src")) && existsSync(join(packages, "core", "tsconfig.json"));
  return { version, checkout: isCheckout ? packages : undefined };
}

/** What stands in package.json for a package of the framework: `^0.1.0`, or a link to the checkout. */
export function toSpecifier({ version, checkout }: Origin, name: string): string {
  return checkout === undefined ? `^${version}` : `file:${join(checkout, name).replaceAll("\\", "/")}`;
}
