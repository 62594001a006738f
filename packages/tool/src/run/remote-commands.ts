import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { HttpError } from "@tenon/core";
import { type ApplicationPlace, reportFlags, toProblems } from "./applications.ts";
import { findEntryPoint, findPackage } from "./entry-point.ts";
import { type FoundProblem, toProblemLine } from "./problem.ts";
import { readProblems, toStdio } from "./problem-channel.ts";
import { type TakeOver, toTakeOverScript } from "./take-over-script.ts";

/**
 * Runs commands with the modules of an application, in a process of its own. The entry point runs up to its
 * `createApp()`, so that the stores have the application's configuration; it needs no platform for commands.
 */
export class RemoteCommands {
  /** What a command of the application printed. */
  run(place: ApplicationPlace, argv: readonly string[]): Promise<Buffer> {
    return this.#run(place, { argv, name: "tenon run --", isOfDatabase: false }); // as its help is to be typed
  }

  /** What a command of `DatabaseCommands` printed. */
  runOnDatabase(place: ApplicationPlace, argv: readonly string[]): Promise<Buffer> {
    if (findPackage(place.folder, "@tenon/data") === undefined) {
      throw new HttpError(404, "@tenon/data is not installed in the application, which keeps its data there");
    }
    return this.#run(place, { argv, name: "tenon", isOfDatabase: true });
  }

  async #run({ folder, entry, signal }: ApplicationPlace, command: Omit<TakeOver, "entry">): Promise<Buffer> {
    const { file, flags } = findEntryPoint(folder, entry);
    const script = toTakeOverScript({ ...command, entry: pathToFileURL(resolve(folder, file)).href });
    const child = spawn(process.execPath, [...reportFlags, ...flags, "--input-type=module", "--eval", script], {
      cwd: folder, // packages are resolved from here
      // biome-ignore lint/style/noProcessEnv: the application reads its configuration from the environment of the tool
      env: { ...process.env, TENON_DESCRIBE: "1" },
      signal,
      killSignal: "SIGTERM", // a migration that is interrupted is rolled back
      stdio: toStdio("ignore", command.isOfDatabase ? "ignore" : "inherit"),
    });
    const [[code], stdout, stderr, problems] = await Promise.all([
      once(child, "close"),
      readAll(child.stdout),
      readAll(child.stderr),
      readProblems(child),
    ]);
    if (code === 0) return Buffer.from(stdout); // bytes, because --json would quote a text
    throw new HttpError(500, explainEnd(command.name, stderr.trimEnd(), problems, file));
  }
}

/** Null for a stream that is not a pipe. */
function readAll(stream: Readable | null): Promise<string> | string {
  return stream === null ? "" : text(stream);
}

function explainEnd(name: string, stderr: string, reported: readonly FoundProblem[], file: string): string {
  const [message = ""] = stderr.split("\n\nUsage: "); // a usage error is followed by its help
  const own = new RegExp(`^${RegExp.escape(name)}: (.*)$`, "ms").exec(message)?.[1];
  if (own !== undefined) return own;
  const problems = toProblems(reported, stderr, file);
  if (problems.length === 0) return `${file} ended without a message`;
  return problems.map(toProblemLine).join("; ");
}
