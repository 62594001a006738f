import { randomBytes } from "node:crypto";

/** Random bytes that are drawn and written as text at once: one by one they would take longer than the rest of a span. */
const poolBytes = 4096;

/** The ids of traces and spans, random and in hexadecimal digits. */
export class TraceIds {
  #pool = "";
  #next = 0;

  readonly generateTraceId = (): string => this.#take(32);

  readonly generateSpanId = (): string => this.#take(16);

  #take(digits: number): string {
    if (this.#next + digits > this.#pool.length) {
      this.#pool = randomBytes(poolBytes).toString("hex");
      this.#next = 0;
    }
    this.#next += digits;
    return this.#pool.slice(this.#next - digits, this.#next);
  }
}
