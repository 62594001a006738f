import type { Writable } from "node:stream";

/** A stream of text that is written no faster than it is read. */
export class Sink {
  readonly #stream: Writable;
  #broken = false;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on("error", ignore); // each write is told by itself; unheard, the event would end the process
  }

  /** False when whoever read the output has closed it, as `| head` does: nothing is wrong, and nobody wants more. */
  write(chunk: string | Uint8Array): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#stream.write(chunk, (error) => {
        if (error === null || error === undefined) return resolve(true);
        this.#broken = true;
        return "code" in error && error.code === "EPIPE" ? resolve(false) : reject(error);
      });
    });
  }

  /** A broken stream keeps its listener: it may tell of the error after the write did. */
  release(): void {
    if (!this.#broken) this.#stream.off("error", ignore);
  }
}

function ignore(): void {}
