import { readEnvironment } from "../boot/environment.ts";
import { endsInTime } from "../boot/in-time.ts";
import { exitCodeOf, stopOnSignals } from "../boot/signals.ts";
import { describeValue, type Problem, StartError } from "../errors.ts";
import { findNearest } from "../nearest.ts";
import type { OpenPlatform, PlatformParts } from "../platform.ts";
import { Commands, findTakenFlags } from "./commands.ts";
import { type Program, toGroupName, toHelp } from "./help.ts";
import { CommandIncoming } from "./incoming.ts";
import { type Invocation, readInvocation } from "./invocation.ts";
import { describeError, exitCodes, writeFailure, writeResult } from "./result.ts";
import { type CommandStreams, Terminal } from "./terminal.ts";

/** The methods of an application on the command line. */
export interface CliMethods {
  /**
   * Runs one command as this process: starts and stops the application, handles signals, and sets the exit code of
   * the process, which it also returns. `argv` defaults to the arguments of the process.
   */
  run(argv?: readonly string[]): Promise<number>;
  /** Runs one command on the given streams and returns its exit code. Starts the application and leaves it running. */
  execute(argv: readonly string[], streams: CommandStreams): Promise<number>;
}

export function openCli(parts: PlatformParts, program: Program): OpenPlatform<CliMethods> {
  const commands = new Commands(parts);
  const problems = [...checkProgram(program), ...checkGroups(program, commands), ...findTakenFlags(commands.all())];
  if (problems.length > 0) throw new StartError(problems);
  const { color } = readEnvironment();
  const running = new Set<Promise<number>>();

  async function run(argv: readonly string[] = process.argv.slice(2)): Promise<number> {
    // a handler or a hook may write too: without a listener a closed pipe would crash the process
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
    process.exitCode = exitCodes.failed; // for a process that exits because its command waits for nothing
    const interruption = new AbortController();
    let interrupted = 0; // the exit code of the signal
    const ignoreSignals = stopOnSignals(
      (signal) => {
        interrupted = exitCodeOf(signal);
        interruption.abort(new Error(`interrupted by ${signal}`));
        return parts.stop();
      },
      parts.log,
      exitCodeOf,
    );
    let code: number = exitCodes.failed;
    try {
      code = await execute(argv, {
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
      await parts.stop();
      ignoreSignals();
    }
    process.exitCode = interrupted || code;
    return process.exitCode;
  }

  function execute(argv: readonly string[], streams: CommandStreams): Promise<number> {
    const work = perform(argv, streams);
    running.add(work);
    return work.finally(() => running.delete(work));
  }

  async function perform(argv: readonly string[], streams: CommandStreams): Promise<number> {
    const terminal = new Terminal(streams, program.name, color);
    try {
      return await dispatch(readInvocation(argv, commands, program), streams, terminal);
    } catch (error) {
      if (error instanceof StartError) throw error;
      parts.log.debug({ err: error }, "the result could not be written");
      if (streams.signal?.aborted !== true) await terminal.complain(describeError(error));
    } finally {
      terminal.release();
    }
    return exitCodes.failed;
  }

  async function dispatch(invocation: Invocation, streams: CommandStreams, terminal: Terminal): Promise<number> {
    switch (invocation.kind) {
      case "command": {
        await parts.start();
        const { signal = new AbortController().signal } = streams;
        const { progress } = terminal;
        const incoming = new CommandIncoming(invocation, { stdin: () => streams.stdin, signal, progress });
        const outgoing = await parts.kernel.handle(incoming);
        incoming.endProgress();
        return writeResult(terminal, outgoing, { json: invocation.json, signal });
      }
      case "refusal":
        await writeFailure(terminal, invocation.message, invocation.json);
        if (invocation.topic !== undefined) {
          await terminal.say(
            `\n${toHelp(program, invocation.topic, { color: terminal.errColor, width: terminal.errWidth })}`,
          );
        }
        return exitCodes.usage;
      case "help":
        await terminal.print(toHelp(program, invocation.topic, { color: terminal.outColor, width: terminal.outWidth }));
        return exitCodes.done;
      case "version":
        await terminal.print(`${program.name} ${program.version}`);
        return exitCodes.done;
    }
  }

  async function close(): Promise<void> {
    if (await endsInTime(Promise.allSettled(running), parts.stopTimeout)) return;
    parts.log.warn("the command did not end in time: the stop goes on without it");
  }

  return { methods: { run, execute }, close };
}

function checkProgram({ name }: Program): Problem[] {
  if (typeof name === "string" && /^[^\s\u0000-\u001f]+$/.test(name)) return [];
  const message = `The name of cli() is ${describeValue(name)}. Give it the word that people type: cli({ name: "blog" }).`;
  return [{ code: "BAD_OPTION", message }];
}

/** A misspelt group would silently not be described. */
function checkGroups({ groups = {} }: Program, commands: Commands): Problem[] {
  const names = commands.names();
  return Object.entries(groups).flatMap(([name, text]): Problem[] => {
    if (typeof text !== "string") {
      return [
        { code: "BAD_OPTION", message: `groups of cli(): "${name}" is ${describeValue(text)}. Describe it in words.` },
      ];
    }
    if (names.has(toGroupName(name))) return [];
    const near = findNearest(toGroupName(name), names);
    const guess = near === undefined ? "Remove it." : `Did you mean "${near}"?`;
    return [{ code: "BAD_OPTION", message: `groups of cli(): no command begins with "${name}". ${guess}` }];
  });
}
