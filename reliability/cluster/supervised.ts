import { setTimeout as sleep } from "node:timers/promises";
import { Program, type ProgramOptions } from "./program.ts";

/** Milliseconds. */
const restartPause = 500;

/**
 * A program that is started again when it ends by itself, as a supervisor does: an instance exits when it cannot reach
 * its database at start, and PgBouncer 1.18 at some lost connections ("server in bad state: 11").
 */
export class Supervised {
  #program: Program | undefined;

  start(command: readonly string[], options: ProgramOptions): void {
    const program = new Program(command, options);
    this.#program = program;
    program.exit.then(async () => {
      await sleep(restartPause);
      if (this.#program === program) this.start(command, options);
    });
  }

  get program(): Program | undefined {
    return this.#program;
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const program = this.#program;
    this.#program = undefined;
    await program?.end(signal);
  }
}
