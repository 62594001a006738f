import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where the tool runs from: a new application gets the framework's packages from there. */
export interface Origin {
  readonly version: string;
  /** The `packages` folder of a checkout; undefined for an installed tool. */
  readonly checkout: string | undefined;
}

/** The folder of this package, the parent of both `src` and `dist`. */
export const packageFolder = fileURLToPath(new URL("../", import.meta.url));

export function readOrigin(folder: string = packageFolder): Origin {
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }; // npm refuses a package without one
  const packages = join(folder, "..");
  const isCheckout = existsSync(join(packages, "core", "src")) && existsSync(join(packages, "core", "tsconfig.json"));
  return { version, checkout: isCheckout ? packages : undefined };
}

/** The version of a framework package for package.json: `^0.1.0`, or a link to the checkout. */
export function toSpecifier({ version, checkout }: Origin, name: string): string {
  return checkout === undefined ? `^${version}` : `file:${join(checkout, name).replaceAll("\\", "/")}`;
}
