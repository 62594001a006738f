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
export const packageFolder = fileURLToPath(new URL("../../", import.meta.url));

export function readOrigin(folder: string = packageFolder): Origin {
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }; // npm refuses a package without one
  const packages = join(folder, "..");
  const isCheckout = existsSync(join(packages, "core", "src")) && existsSync(join(packages, "core", "tsconfig.json"));
  return { version, checkout: isCheckout ? packages : undefined };
}

export const scope = "@tenon/";

/** Whether a package is one of the framework, the tool included. */
export function isOwn(name: string): boolean {
  return name === "tenon" || name.startsWith(scope);
}

/** The version of a framework package for package.json: `^0.1.0`, or a link to the checkout. */
export function toSpecifier({ version, checkout }: Origin, name: string): string {
  if (checkout === undefined) return `^${version}`;
  const folder = name === "tenon" ? "tool" : name.slice(scope.length);
  return `file:${join(checkout, folder).replaceAll("\\", "/")}`;
}

/** The file that reports a checkout that has moved; undefined for an installed tool. */
export function readCheckoutCheck({ checkout }: Origin): string | undefined {
  return checkout === undefined
    ? undefined
    : readFileSync(join(packageFolder, "templates/checkout", checkoutCheck), "utf8");
}

/** The name of that file in an application. */
export const checkoutCheck = "checkout.mjs";

/** The README.md of a new application, which says where packages of a checkout come from. */
export function toAppReadme(text: string, { checkout }: Origin): string {
  if (checkout === undefined) return text;
  return `${text}
This application uses Tenon from a checkout: its packages are links to \`${checkout}\`, and run from their source. When the checkout moves, replace that folder in \`package.json\` and run \`npm install\`. \`${checkoutCheck}\` reports a folder that is missing. To use the published packages, replace the links by versions, remove \`--import ./${checkoutCheck}\` and \`--conditions=@tenon/source\` from the scripts, and \`customConditions\` from \`tsconfig.json\`.
`;
}
