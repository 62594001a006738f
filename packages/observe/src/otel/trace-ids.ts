import { randomFillSync } from "node:crypto";

/** Random bytes that are drawn at once: drawn for each id they would take longer than the rest of a span. */
const poolBytes = 4096;

/** The ids of traces and spans, random and in hexadecimal digits. */
export class TraceIds {
  readonly #pool = Buffer.alloc(poolBytes);
  #next = poolBytes;

  readonly generateTraceId = (): string => this.#take(16);

  readonly generateSpanId = (): string => this.#take(8);

  #take(bytes: number): string {
    if (this.#next + bytes > poolBytes) {
      randomFillSync(this.#pool);
      this.#next = 0;
    }
    this.#next += bytes;
    // a text of its own: the SDK reads each digit, which is slow in a slice of a long text
    return this.#pool.toString("hex", this.#next - bytes, this.#next);
  }
}
