import { exitCodeOf, stopOnSignals } from "../boot/signals.ts";
import type { PlatformParts } from "../platform.ts";

/** Ctrl-C and its kind, as a command notices them: its signal is aborted, and the application stops. */
export class Interruption {
  readonly #controller = new AbortController();
  /** Takes the listeners away. */
  readonly forget: () => void;
  #exitCode: number | undefined;

  constructor({ stop, log }: Pick<PlatformParts, "stop" | "log">) {
    this.forget = stopOnSignals(
      (signal) => {
        this.#exitCode = exitCodeOf(signal);
        this.#controller.abort(new Error(`interrupted by ${signal}`));
        return stop();
      },
      log,
      exitCodeOf,
    );
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Undefined while nothing was interrupted. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }
}
