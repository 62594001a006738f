// This application uses Tenon from a checkout. Without this file a checkout that has moved would be reported as a module
// that cannot be found.
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

const { dependencies, devDependencies } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
const folders = Object.values({ ...devDependencies, ...dependencies })
  .filter((version) => version.startsWith("file:"))
  .map((version) => resolve(import.meta.dirname, version.slice("file:".length)));
const missing = folders.find((folder) => !existsSync(folder));
if (missing !== undefined) {
  process.stderr.write(
    `The Tenon checkout that this application uses is not at ${dirname(missing)} any more. Replace this folder in package.json by its new one, and run npm install.\n`,
  );
  process.exit(1);
}
