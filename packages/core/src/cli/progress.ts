import type { Progress } from "../request/context-state.ts";
import { showControls, truncate, widthOf } from "./text.ts";

export interface ProgressOutput {
  write(text: string): void;
  readonly isTerminal: boolean;
  readonly width: number;
  /** Milliseconds of a clock that only goes forward. */
  now(): number;
}

const bar = { narrowest: 8, widest: 24 };
const redrawAfter = 100;
const thousands = new Intl.NumberFormat("en-US");

/** On a terminal a bar that is drawn over itself; elsewhere a line for every tenth. */
export class CommandProgress implements Progress {
  readonly #total: number;
  readonly #label: string;
  readonly #output: ProgressOutput;
  readonly #startedAt: number;
  #count = 0;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #tenths = 0;
  #ended = false;

  constructor(total: number, label: string, output: ProgressOutput) {
    this.#total = total;
    this.#label = showControls(label);
    this.#output = output;
    this.#startedAt = output.now();
    if (output.isTerminal) this.#draw();
  }

  advance(by = 1): void {
    if (this.#ended || !(by > 0)) return;
    this.#count += by;
    if (!this.#output.isTerminal) this.#writeTenth();
    else if (this.#output.now() - this.#drawnAt >= redrawAfter) this.#draw();
  }

  done(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#output.isTerminal) {
      this.#draw();
      this.#output.write("\n");
    } else if (this.#tenths < 10) this.#writeLine();
  }

  /** Called when the command has ended: its output must not start on the line of the bar. */
  close(): void {
    if (this.#output.isTerminal) this.done();
    this.#ended = true;
  }

  #writeTenth(): void {
    const tenths = Math.floor(this.#share() * 10);
    if (tenths === this.#tenths) return;
    this.#tenths = tenths;
    this.#writeLine();
  }

  #writeLine(): void {
    this.#output.write(`${this.#label === "" ? "" : `${this.#label}: `}${this.#percent()}, ${this.#counts()}\n`);
  }

  #draw(): void {
    this.#drawnAt = this.#output.now();
    const seconds = (this.#drawnAt - this.#startedAt) / 1000;
    const rate = seconds > 0 && this.#count > 0 ? ` ${thousands.format(Math.round(this.#count / seconds))}/s` : "";
    const label = this.#label === "" ? "" : `${this.#label} `;
    const figures = `${this.#percent()} ${this.#counts()}${rate}`;
    const room = this.#output.width - 1; // a full line would wrap, and the next bar be drawn below it
    const width = Math.max(bar.narrowest, Math.min(bar.widest, room - widthOf(label) - figures.length - 3));
    const filled = Math.round(this.#share() * width);
    const line = `${label}[${"=".repeat(filled)}${" ".repeat(width - filled)}] ${figures}`;
    this.#output.write(`\r${truncate(line, room)}\u001b[K`);
  }

  #share(): number {
    return this.#total === 0 ? 1 : Math.min(1, this.#count / this.#total);
  }

  #percent(): string {
    return `${Math.floor(this.#share() * 100)} %`;
  }

  #counts(): string {
    return `${thousands.format(this.#count)}/${thousands.format(this.#total)}`;
  }
}
