import { writeSync } from "node:fs";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { FoundProblem } from "./problem.ts";

/** A pipe of its own, which is written at once: a process that exits would lose a message of its IPC channel. */
const descriptor = 4;

/** How the tool starts a process that reports its problems. Standard input and the IPC channel are as given. */
export function toStdio<Channel extends "ipc" | "ignore">(
  channel: Channel,
  stdin: "ignore" | "inherit" = "ignore",
): ["ignore" | "inherit", "pipe", "pipe", Channel, "pipe"] {
  return [stdin, "pipe", "pipe", channel, "pipe"];
}

/** In the process of the application. */
export function reportProblems(problems: readonly FoundProblem[]): void {
  writeSync(descriptor, `${problems.map((problem) => `${JSON.stringify(problem)}\n`).join("")}`);
}

/** In the tool: what the process has reported until it ended. Empty when it was ended by a signal, or ended itself. */
export async function readProblems(child: { readonly stdio: readonly unknown[] }): Promise<FoundProblem[]> {
  const written = await text(child.stdio[descriptor] as Readable).catch(() => ""); // a pipe by toStdio(); it fails when the process could not be started
  return written.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as FoundProblem])); // as reportProblems() writes it
}
