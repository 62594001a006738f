import { type ChildProcess, spawn } from "node:child_process";
import { HttpError } from "@tenon/core";
import { type Description, readDescription } from "./description.ts";
import { describeCore, findEntryPoint } from "./entry-point.ts";

export interface ApplicationPlace {
  readonly folder: string;
  /** The entry point; found in the folder by default. */
  readonly entry?: string | undefined;
  readonly signal: AbortSignal;
}

/** The application ended before it described itself. */
export class ApplicationError extends HttpError {
  /** Its standard error; "" when it wrote nothing. */
  readonly output: string;

  constructor(message: string, output: string) {
    super(500, message);
    this.output = output;
  }
}

/** How much of the application's output an error may show, in characters. */
const longestOutput = 16_384;
const defaultDeadline = 30_000;
/** Milliseconds that a late application gets to end by itself. */
const grace = 2_000;

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

  async describe({ folder, entry, signal }: ApplicationPlace): Promise<Description> {
    signal.throwIfAborted();
    const { file, flags } = findEntryPoint(folder, entry);
    const child = spawn(process.execPath, [...flags, file], {
      cwd: folder,
      // biome-ignore lint/style/noProcessEnv: the application reads its configuration from the environment of the tool
      env: { ...process.env, TENON_DESCRIBE: "1" },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
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

  #read(child: ChildProcess, folder: string, file: string): Promise<Description> {
    const { promise, resolve, reject } = Promise.withResolvers<Description>();
    const fail = (reason: string) => reject(new ApplicationError(`${file} ${reason}`, output));
    let output = "";
    const collect = (text: string) => {
      output = `${output}${text}`.slice(-longestOutput);
    };
    child.stdout?.setEncoding("utf8").resume(); // a full pipe would block the application
    child.stderr?.setEncoding("utf8").on("data", collect);
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
    child.once("close", (code, ended) => {
      const hint = describeCore(folder);
      if (isLate) fail(`did not describe itself within ${this.#deadline / 1000} s: ${hint}`);
      else if (code === 0) fail(`ended without describing itself: it calls no listen(), run() or start(), or ${hint}`);
      else fail(`failed to start (${ended ?? `exit code ${code}`})${output === "" ? "" : `:\n${output.trimEnd()}`}`);
    });
    return promise.finally(() => {
      for (const timer of timers) clearTimeout(timer);
    });
  }
}
