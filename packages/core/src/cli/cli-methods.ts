import { readEnvironment } from "../boot/environment.ts";
import { endsInTime } from "../boot/in-time.ts";
import { describeValue, type Problem, StartError } from "../errors.ts";
import type { OpenPlatform, PlatformParts } from "../platform.ts";
import { Commands } from "./commands.ts";
import { describeError } from "./failure.ts";
import { findTakenFlags } from "./flags.ts";
import { type Program, toHelp } from "./help.ts";
import { CommandIncoming } from "./incoming.ts";
import { Interruption } from "./interruption.ts";
import { type CommandCall, type Invocation, type Refusal, readInvocation } from "./invocation.ts";
import { exitCodes, writeFailure, writeResult } from "./result.ts";
import { type CommandStreams, Terminal } from "./terminal.ts";

/** What an application on the command line can do. */
export interface CliMethods {
  /**
   * Runs one command as this process: starts and stops the application around it, heeds signals, and sets the exit
   * code of the process, which it also gives. Takes the arguments of the process unless told otherwise.
   */
  run(argv?: readonly string[]): Promise<number>;
  /** Runs one command on streams of one's own and gives its exit code. Starts the application and leaves it running. */
  execute(argv: readonly string[], streams: CommandStreams): Promise<number>;
}

export function openCli(parts: PlatformParts, program: Program): OpenPlatform<CliMethods> {
  const commands = new Commands(parts);
  const problems = [...checkProgram(program), ...findTakenFlags(commands.all())];
  if (problems.length > 0) throw new StartError(problems);
  const { name, version } = program;
  const { color } = readEnvironment();
  const running = new Set<Promise<number>>();

  async function run(argv: readonly string[] = process.argv.slice(2)): Promise<number> {
    // a handler or a hook may write too, and a reader that went away must not end the process with an error
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
    process.exitCode = exitCodes.failed; // of a process that ends because its command waits for nothing
    const interruption = new Interruption(parts);
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
      if (interruption.exitCode === undefined) throw error; // else it came during the start
    } finally {
      await parts.stop();
      interruption.forget();
    }
    process.exitCode = interruption.exitCode ?? code;
    return process.exitCode;
  }

  function execute(argv: readonly string[], streams: CommandStreams): Promise<number> {
    const work = perform(argv, streams);
    running.add(work);
    return work.finally(() => running.delete(work));
  }

  async function perform(argv: readonly string[], streams: CommandStreams): Promise<number> {
    const terminal = new Terminal(streams, { color });
    try {
      return await answer(readInvocation(argv, commands), streams, terminal);
    } catch (error) {
      if (error instanceof StartError) throw error;
      parts.log.debug({ err: error }, "the result could not be written");
      if (streams.signal?.aborted !== true) await terminal.complain(name, describeError(error));
    } finally {
      terminal.release();
    }
    return exitCodes.failed;
  }

  async function answer(invocation: Invocation, streams: CommandStreams, terminal: Terminal): Promise<number> {
    const { json } = invocation;
    if (invocation.kind === "command") return call(invocation, json, streams, terminal);
    if (invocation.kind === "refusal") return refuse(invocation, json, terminal);
    if (invocation.kind === "help") await terminal.print(toHelp(program, invocation.topic, terminal.outPaint));
    else if (version === undefined)
      return refuse({ kind: "refusal", message: "unknown flag --version" }, json, terminal);
    else await terminal.print(`${name} ${version}`);
    return exitCodes.done;
  }

  async function call(
    invocation: CommandCall,
    json: boolean,
    streams: CommandStreams,
    terminal: Terminal,
  ): Promise<number> {
    await parts.start();
    const { signal = new AbortController().signal } = streams;
    const incoming = new CommandIncoming(invocation, {
      stdin: () => streams.stdin,
      signal,
      progress: terminal.progress,
    });
    const outgoing = await parts.kernel.handle(incoming);
    incoming.endProgress();
    return writeResult(terminal, outgoing, { name, json, signal });
  }

  async function refuse({ message, topic }: Refusal, json: boolean, terminal: Terminal): Promise<number> {
    await writeFailure(terminal, message, { name, json });
    if (topic !== undefined) await terminal.say(`\n${toHelp(program, topic, terminal.errPaint)}`);
    return exitCodes.usage;
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
