import type { Progress } from "../request/context-types.ts";
import { showControls, truncate } from "./text.ts";

export interface ProgressOutput {
  write(text: string): void;
  readonly isTerminal: boolean;
  readonly width: number;
}

const cells = 24;
const thousands = new Intl.NumberFormat("en-US");

/** On a terminal a bar that is drawn over itself; elsewhere a line for every tenth. */
export class CommandProgress implements Progress {
  readonly #total: number;
  readonly #label: string;
  readonly #output: ProgressOutput;
  #count = 0;
  /** Percent on a terminal, elsewhere tenths. */
  #step = 0;
  #ended = false;

  constructor(total: number, label: string, output: ProgressOutput) {
    this.#total = total;
    this.#label = label === "" ? "" : `${showControls(label)}: `;
    this.#output = output;
    if (output.isTerminal) this.#show();
  }

  advance(by = 1): void {
    if (this.#ended || !(by > 0)) return;
    this.#count += by;
    const step = Math.floor(this.#share() * (this.#output.isTerminal ? 100 : 10));
    if (step === this.#step) return;
    this.#step = step;
    this.#show();
  }

  done(): void {
    if (this.#ended) return;
    this.#ended = true;
    const { isTerminal } = this.#output;
    if (isTerminal || this.#step < 10) this.#show();
    if (isTerminal) this.#output.write("\n");
  }

  /** Called when the command has ended: its output must not start on the line of the bar. */
  close(): void {
    if (this.#output.isTerminal) this.done();
    this.#ended = true;
  }

  #show(): void {
    const share = this.#share();
    const counts = `${thousands.format(this.#count)}/${thousands.format(this.#total)}`;
    const text = `${Math.floor(share * 100)} %, ${counts}`;
    const bar = `[${"=".repeat(Math.round(share * cells)).padEnd(cells)}]`;
    const { isTerminal, width } = this.#output;
    // a full line would wrap, and the next bar be drawn below it
    const drawn = () => `\r${truncate(`${this.#label}${bar} ${text}`, width - 1)}\u001b[K`;
    this.#output.write(isTerminal ? drawn() : `${this.#label}${text}\n`);
  }

  #share(): number {
    return this.#total === 0 ? 1 : Math.min(1, this.#count / this.#total);
  }
}
