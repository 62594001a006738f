import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { type Problem, StartError } from "../support/errors.ts";

const assignment = /^\s*(?:export\s+)?[A-Za-z_][A-Za-z0-9_.-]*\s*=\s*(.*)$/;
const quotes = ['"', "'", "`"];

/** The variables of a `.env` file; none without the file. A line that is not an assignment stops the start. */
export function readEnvFile(file: string): NodeJS.Dict<string> {
  const text = readText(file);
  const problems = findMalformedLines(text).map(
    (line): Problem => ({
      code: "BAD_ENVIRONMENT",
      message: `Line ${line} of ${file} is not an assignment. Write NAME=value, with quotes around a value of several lines.`,
    }),
  );
  if (problems.length > 0) throw new StartError(problems);
  return parseEnv(text);
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8").replace(/^\ufeff/, ""); // else a byte order mark would belong to the first name
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError([{ code: "BAD_ENVIRONMENT", message: `${file} cannot be read: ${reason}`, cause: error }]);
  }
}

/** By number, because a line may hold a secret. `parseEnv` ignores them, and the variable would silently not be set. */
function findMalformedLines(text: string): number[] {
  const lines = text.split(/\r?\n/);
  const malformed: number[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] as string; // below the length
    if (/^\s*(#|$)/.test(line)) continue;
    const [, value] = assignment.exec(line) ?? [];
    const quote = quotes.find((mark) => value?.startsWith(mark));
    if (value === undefined) malformed.push(index + 1);
    else if (quote !== undefined && !value.includes(quote, 1)) {
      const end = lines.findIndex((next, place) => place > index && next.includes(quote));
      if (end < 0) malformed.push(index + 1);
      else index = end;
    }
  }
  return malformed;
}
