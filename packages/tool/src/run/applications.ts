import { type ChildProcess, spawn } from "node:child_process";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { HttpError } from "@tenon/core";
import type { AppDescription } from "@tenon/devtools/internal";
import { describeCore, findEntryPoint } from "./entry-point.ts";
import { type FoundProblem, toProblemLine } from "./problem.ts";
import { readProblems, toStdio } from "./problem-channel.ts";

export interface ApplicationPlace {
  readonly folder: string;
  /** The entry point; found in the folder by default. */
  readonly entry?: string | undefined;
  readonly signal: AbortSignal;
}

/** The application ended before it described itself. */
export class ApplicationError extends HttpError {
  readonly problems: readonly FoundProblem[];

  constructor(message: string, problems: readonly FoundProblem[]) {
    super(500, message);
    this.problems = problems;
  }
}

/** How much of the application's output an error may show, in characters. */
const longestOutput = 16_384;
const defaultDeadline = 30_000;
/** Milliseconds that a late application gets to end by itself. */
const grace = 2_000;
/** The version of the message between the application and the tool. */
const descriptionVersion: AppDescription["tenon"] = 1;

/** The flags of node that make a process report its failures. A `.ts` file in a checkout and a `.js` file in the package. */
export const reportFlags = [
  "--import",
  fileURLToPath(new URL(`./preload${extname(import.meta.url)}`, import.meta.url)),
] as const;

/**
 * Runs the entry point of an application in a process that describes itself at `listen()`, `run()` or `start()`, instead
 * of starting: no hook runs, and no store or port is opened.
 */
export class Applications {
  readonly #deadline: number;

  /** The deadline is in milliseconds and defaults to 30 seconds. */
  constructor(deadline: number = defaultDeadline) {
    this.#deadline = deadline;
  }

  async describe({ folder, entry, signal }: ApplicationPlace): Promise<AppDescription> {
    signal.throwIfAborted();
    const { file, flags } = findEntryPoint(folder, entry);
    const child = spawn(process.execPath, [...reportFlags, ...flags, file], {
      cwd: folder,
      // biome-ignore lint/style/noProcessEnv: the application reads its configuration from the environment of the tool
      env: { ...process.env, TENON_DESCRIBE: "1" },
      stdio: toStdio("ipc"),
    });
    const stop = () => void child.kill("SIGKILL");
    signal.addEventListener("abort", stop, { once: true });
    try {
      return await this.#read(child, folder, file);
    } catch (error) {
      signal.throwIfAborted(); // the user has interrupted the command
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
      stop(); // it has nothing open, and may have timers
    }
  }

  #read(child: ChildProcess, folder: string, file: string): Promise<AppDescription> {
    const { promise, resolve, reject } = Promise.withResolvers<AppDescription>();
    const fail = (reason: string, problems: readonly FoundProblem[] = []) =>
      reject(new ApplicationError(`${file} ${reason}`, problems));
    let output = "";
    const collect = (text: string) => {
      output = `${output}${text}`.slice(-longestOutput);
    };
    child.stdout?.setEncoding("utf8").resume(); // a full pipe would block the application
    child.stderr?.setEncoding("utf8").on("data", collect);
    const reported = readProblems(child);
    let isLate = false;
    const timers = [
      setTimeout(() => {
        isLate = true;
        child.kill("SIGTERM");
      }, this.#deadline),
      setTimeout(() => child.kill("SIGKILL"), this.#deadline + grace),
    ];
    child.on("message", (message) => {
      const description = readDescription(message);
      if (description === "other version")
        fail("describes itself in a form that this tenon does not know: update tenon");
      else if (description !== undefined) resolve(description);
    });
    child.once("error", (error) => fail(`could not be run: ${error.message}`));
    child.once("close", async (code, ended) => {
      const hint = describeCore(folder);
      if (isLate) return fail(`did not describe itself within ${this.#deadline / 1000} s: ${hint}`);
      if (code === 0)
        return fail(`ended without describing itself: it calls no listen(), run() or start(), or ${hint}`);
      const problems = toProblems(await reported, output, file);
      const reason = problems.map((problem) => toProblemLine(toShort(problem, file))).join("; ");
      fail(`failed to start: ${reason || (ended ?? `exit code ${code}`)}`, problems);
    });
    return promise.finally(() => {
      for (const timer of timers) clearTimeout(timer);
    });
  }
}

/** Undefined for a message of the application's own. */
function readDescription(message: unknown): AppDescription | "other version" | undefined {
  if (typeof message !== "object" || message === null || !("tenon" in message)) return undefined;
  if (message.tenon !== descriptionVersion || !("routes" in message) || !Array.isArray(message.routes)) {
    return "other version";
  }
  return message as unknown as AppDescription; // this version of the message has these fields
}

/** Without the entry point, which the message names already. */
function toShort({ file, ...problem }: FoundProblem, entry: string): FoundProblem {
  return file === undefined || (file === entry && problem.line === undefined) ? problem : { ...problem, file };
}

/** What the process has reported, or else what it has written to standard error: an application may exit by itself. */
export function toProblems(reported: readonly FoundProblem[], output: string, entry: string): readonly FoundProblem[] {
  const found = reported.map((problem) => ("file" in problem ? problem : { ...problem, file: entry }));
  if (found.length > 0 || output.trim() === "") return found;
  return [{ kind: "start", file: entry, message: output.trim() }];
}
