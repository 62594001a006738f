import { readFileSync, writeFileSync } from "node:fs";

/** How much the resident memory of a process rises above its current value, as the system counts it. */
export class PeakMemory {
  readonly #status: string;
  readonly #before: number;

  constructor(pid: number) {
    this.#status = `/proc/${pid}/status`;
    writeFileSync(`/proc/${pid}/clear_refs`, "5"); // resets the peak to the current value
    this.#before = this.#read("VmRSS");
  }

  get bytes(): number {
    return this.#read("VmHWM") - this.#before;
  }

  #read(name: string): number {
    const line = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(readFileSync(this.#status, "utf8"));
    return Number(line?.[1]) * 1024;
  }
}
