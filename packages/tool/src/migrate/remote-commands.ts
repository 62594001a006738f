import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { HttpError } from "@tenon/core";
import { type ApplicationPlace, reportFlags, toProblems } from "../run/applications.ts";
import { findEntryPoint, findPackage } from "../run/entry-point.ts";
import { readProblems, toStdio } from "../run/failure-channel.ts";
import { type FoundProblem, toProblemLine } from "../run/problem.ts";
import { toTakeOverScript } from "./take-over-script.ts";

/**
 * Runs the database commands with the modules of an application, in a process of its own. The entry point runs up to
 * its `createApp()`, so that the stores have the application's configuration; it needs no platform for commands.
 */
export class RemoteCommands {
  /** What the command printed. */
  async run({ folder, entry, signal }: ApplicationPlace, argv: readonly string[]): Promise<Buffer> {
    const { file, flags } = findEntryPoint(folder, entry);
    if (findPackage(folder, "@tenon/data") === undefined) {
      throw new HttpError(404, "@tenon/data is not installed in the application, which keeps its data there");
    }
    const script = toTakeOverScript(pathToFileURL(resolve(folder, file)).href, argv);
    const child = spawn(process.execPath, [...reportFlags, ...flags, "--input-type=module", "--eval", script], {
      cwd: folder, // packages are resolved from here
      // biome-ignore lint/style/noProcessEnv: the application reads its configuration from the environment of the tool
      env: { ...process.env, TENON_DESCRIBE: "1" },
      signal,
      killSignal: "SIGTERM", // a migration that is interrupted is rolled back
      stdio: toStdio("ignore"),
    });
    const [[code], stdout, stderr, problems] = await Promise.all([
      once(child, "close"),
      readAll(child.stdout),
      readAll(child.stderr),
      readProblems(child),
    ]);
    if (code === 0) return Buffer.from(stdout); // bytes, because --json would quote a text
    throw new HttpError(500, explainFailure(stderr.trimEnd(), problems, file));
  }
}

/** Null for a stream that is not a pipe. */
function readAll(stream: Readable | null): Promise<string> | string {
  return stream === null ? "" : text(stream);
}

function explainFailure(stderr: string, reported: readonly FoundProblem[], file: string): string {
  const own = /^tenon: (.*)$/ms.exec(stderr)?.[1];
  if (own !== undefined) return own;
  const problems = toProblems(reported, stderr, file);
  if (problems.length === 0) return `${file} ended without a message`;
  return problems.map(toProblemLine).join("; ");
}
