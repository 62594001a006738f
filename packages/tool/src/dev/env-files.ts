import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

/** The variables of `.env` and of the files that node's flags name; later files take precedence, as in node. */
export function readEnvFiles(folder: string, flags: readonly string[]): NodeJS.Dict<string> {
  const named = flags.flatMap((flag, index) => {
    const [, value] = /^--env-file(?:-if-exists)?(?:=(.*))?$/.exec(flag) ?? [];
    return value ?? (flag.startsWith("--env-file") ? (flags[index + 1] ?? []) : []);
  });
  return Object.assign({}, ...[".env", ...named].map((file) => readEnvFile(join(folder, file))));
}

/** Empty when there is no such file. */
export function readEnvFile(file: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}
