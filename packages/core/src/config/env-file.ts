import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { StartError } from "../support/errors.ts";

/** The variables of a `.env` file; none without the file. */
export function readEnvFile(file: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(file, "utf8").replace(/^\ufeff/, "")); // else a byte order mark would belong to the first name
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError([{ code: "BAD_ENVIRONMENT", message: `${file} cannot be read: ${reason}`, cause: error }]);
  }
}
