import { endsWithin } from "@tenon/server/internal";
import type { OpenPlatform, PlatformParts } from "../app/platform.ts";
import { exitCodeOf, stopOnSignals } from "../app/signals.ts";
import { readEnvironment } from "../config/environment.ts";
import { StartError } from "../support/errors.ts";
import { Commands } from "./commands.ts";
import { type Program, toHelp } from "./help.ts";
import { CommandIncoming } from "./incoming.ts";
import { type CommandCall, type Invocation, readInvocation } from "./invocation.ts";
import { describeError, exitCodes, writeError, writeResult } from "./result.ts";
import { type CommandStreams, Terminal } from "./terminal.ts";

/** The methods of an application on the command line. */
export interface CliApp {
  /**
   * Runs one command as this process: starts and stops the application, handles signals, and sets the exit code of
   * the process, which it also returns. `argv` defaults to the arguments of the process.
   */
  run(argv?: readonly string[]): Promise<number>;
  /** Runs one command on the given streams and returns its exit code. Starts the application and leaves it running. */
  execute(argv: readonly string[], streams: CommandStreams): Promise<number>;
}

/** Reads the arguments of a command, runs it and writes its result. */
export class OpenCli implements OpenPlatform<CliApp> {
  readonly methods: CliApp = {
    run: (argv) => this.#run(argv ?? process.argv.slice(2)),
    execute: (argv, streams) => this.#execute(argv, streams),
  };
  readonly #parts: PlatformParts;
  readonly #program: Program;
  readonly #commands: Commands;
  readonly #color = readEnvironment().color;
  readonly #running = new Set<Promise<number>>();

  constructor(parts: PlatformParts, program: Program) {
    this.#parts = parts;
    this.#program = program;
    this.#commands = new Commands(parts, program.aliases);
  }

  async close(): Promise<void> {
    if (await endsWithin(Promise.allSettled(this.#running), this.#parts.stopTimeout)) return;
    this.#parts.log.warn("the command did not end in time: the stop goes on without it");
  }

  async #run(argv: readonly string[]): Promise<number> {
    // a handler or a hook may write too: without a listener a closed pipe would crash the process
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
    process.exitCode = exitCodes.failed; // for a process that exits because its command waits for nothing
    const interruption = new AbortController();
    let interrupted = 0; // the exit code of the signal
    const ignoreSignals = stopOnSignals(
      (signal) => {
        interrupted = exitCodeOf(signal);
        interruption.abort(new Error(`interrupted by ${signal}`));
        return this.#parts.stop();
      },
      this.#parts.log,
      exitCodeOf,
    );
    let code: number = exitCodes.failed;
    try {
      code = await this.#execute(argv, {
        get stdin() {
          return process.stdin; // only when it is read: opened, it would keep the process alive
        },
        stdout: process.stdout,
        stderr: process.stderr,
        signal: interruption.signal,
      });
    } catch (error) {
      if (interrupted === 0) throw error; // else the signal came during the start
    } finally {
      await this.#parts.stop();
      ignoreSignals();
    }
    process.exitCode = interrupted || code;
    return process.exitCode;
  }

  #execute(argv: readonly string[], streams: CommandStreams): Promise<number> {
    const work = this.#perform(argv, streams);
    this.#running.add(work);
    return work.finally(() => this.#running.delete(work));
  }

  async #perform(argv: readonly string[], streams: CommandStreams): Promise<number> {
    const terminal = new Terminal(streams, this.#program.name, this.#color);
    try {
      return await this.#dispatch(readInvocation(argv, this.#commands, this.#program), streams, terminal);
    } catch (error) {
      if (error instanceof StartError) throw error;
      this.#parts.log.debug({ err: error }, "the result could not be written");
      if (streams.signal?.aborted !== true) await terminal.complain(describeError(error));
    } finally {
      terminal.release();
    }
    return exitCodes.failed;
  }

  async #dispatch(invocation: Invocation, streams: CommandStreams, terminal: Terminal): Promise<number> {
    const program = this.#program;
    switch (invocation.kind) {
      case "command":
        return this.#runCommand(invocation, invocation.json, streams, terminal);
      case "usage-error":
        await writeError(terminal, invocation.message, invocation.json);
        if (invocation.topic !== undefined) {
          await terminal.say(`\n${toHelp(program, invocation.topic, terminal.errLayout)}`);
        }
        return exitCodes.usage;
      case "help":
        await terminal.print(toHelp(program, invocation.topic, terminal.outLayout));
        return exitCodes.done;
      case "version":
        await terminal.print(`${program.name} ${program.version}`);
        return exitCodes.done;
    }
  }

  async #runCommand(call: CommandCall, json: boolean, streams: CommandStreams, terminal: Terminal): Promise<number> {
    await this.#parts.start();
    const { signal = new AbortController().signal } = streams;
    const incoming = new CommandIncoming(call, streams, signal, terminal.progress);
    const outgoing = await this.#parts.kernel.handle(incoming);
    incoming.endProgress();
    return writeResult(terminal, outgoing, json, signal);
  }
}
