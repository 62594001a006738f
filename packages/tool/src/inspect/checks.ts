import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { HttpError, inject } from "@tenon/core";
import { readManifest } from "../files.ts";
import { ApplicationError, type ApplicationPlace, Applications } from "../run/applications.ts";
import { findEntryPoint, findPackage, listEntryPoints } from "../run/entry-point.ts";
import type { FoundProblem } from "../run/problem.ts";
import { auditRoutes } from "./route-audit.ts";
import { readTypeProblems } from "./type-problems.ts";

export interface CheckReport {
  /** What was looked at: `src/main.api.ts`, `types`. */
  readonly checked: readonly string[];
  readonly problems: readonly FoundProblem[];
}

/** Milliseconds that the type checker gets. */
const longestTypeCheck = 300_000;

/** Finds what would stop an application: wiring, routes and configuration of each entry point, and types. */
export class Checks {
  readonly #applications = inject(Applications);

  async run(place: ApplicationPlace): Promise<CheckReport> {
    const entries = place.entry === undefined ? listEntryPoints(place.folder) : [place.entry];
    if (entries.length === 0) findEntryPoint(place.folder); // throws what is missing
    const types = checkTypes(place); // runs while the entry points are checked
    const problems: FoundProblem[] = [];
    try {
      for (const entry of entries) problems.push(...(await this.#checkEntry({ ...place, entry })));
    } catch (error) {
      await types.catch(() => {}); // an unhandled rejection would crash the process
      throw error;
    }
    const typeProblems = await types;
    const known = new Set(problems.map(toKey));
    const others = (typeProblems ?? []).filter((problem) => !known.has(toKey(problem))); // a syntax error is in both
    return {
      checked: [...entries, ...(typeProblems === undefined ? [] : ["types"])],
      problems: [...new Map([...problems, ...others].map((problem) => [JSON.stringify(problem), problem])).values()],
    };
  }

  async #checkEntry(place: ApplicationPlace & { readonly entry: string }): Promise<FoundProblem[]> {
    const { folder } = place;
    try {
      const { routes } = await this.#applications.describe(place);
      const shadowed = auditRoutes(routes, folder).filter(({ finding }) => finding.startsWith("shadowed"));
      return shadowed.map(({ finding, route, handler, source = "" }): FoundProblem => {
        const [, file, line] = /^(.*):(\d+)$/.exec(source) ?? [];
        const place = file === undefined ? {} : { file, line: Number(line) };
        return { kind: "routes", ...place, message: `${route} (${handler}) is ${finding}` };
      });
    } catch (error) {
      if (!(error instanceof ApplicationError)) throw error;
      return error.problems.length > 0 ? [...error.problems] : [{ kind: "start", message: error.message }];
    }
  }
}

function toKey({ file, line, message }: FoundProblem): string {
  return line === undefined ? message : `${file}:${line}`;
}

/** Undefined where the application has no TypeScript installed or no tsconfig.json. */
async function checkTypes({ folder, signal }: ApplicationPlace): Promise<FoundProblem[] | undefined> {
  const typescript = findPackage(folder, "typescript");
  if (typescript === undefined || !existsSync(join(folder, "tsconfig.json"))) return undefined;
  const { bin } = readManifest(typescript) as { bin: { tsc: string } }; // its only binary since version 7
  const args = [join(typescript, bin.tsc), "-p", ".", "--noEmit", "--pretty", "false"];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    signal,
    timeout: longestTypeCheck,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [[code], stdout, stderr] = await Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]);
  const problems = readTypeProblems(stdout, folder);
  if (code !== 0 && problems.length === 0) {
    throw new HttpError(500, `tsc ended with ${code}: ${`${stdout}${stderr}`.trim()}`);
  }
  return problems;
}
