import { intervalOf } from "./statistics.ts";

/** A limit, and on which side of it a value must be. */
export interface Bar {
  readonly name: string;
  readonly kind: "at least" | "at most";
  readonly limit: number;
  readonly unit: "" | " ms";
}

export interface BarResult extends Bar {
  /** One for each round. */
  readonly values: readonly number[];
  /** Spent on these rounds, together with the other bars of the same part. */
  readonly seconds: number;
}

export type Verdict = "met" | "missed" | "undecided";

/** With fewer rounds, values that agree by chance would make an interval too narrow. */
export const fewestRounds = 4;

/** Decided when the whole interval is on one side of the limit. */
export function verdictOf({ kind, limit, values }: Pick<BarResult, "kind" | "limit" | "values">): Verdict {
  if (values.length < fewestRounds) return "undecided";
  const { low, high } = intervalOf(values);
  if (kind === "at least" ? low >= limit : high <= limit) return "met";
  if (kind === "at least" ? high < limit : low > limit) return "missed";
  return "undecided";
}

/** Bars that are measured at the same time. */
export class Part {
  readonly #bars: readonly Bar[];
  readonly #measure: (round: number) => Promise<readonly number[]>;
  readonly #rounds: (readonly number[])[] = [];
  #seconds = 0;

  /** `measure` returns one value for each bar, in their order. */
  constructor(bars: readonly Bar[], measure: (round: number) => Promise<readonly number[]>) {
    this.#bars = bars;
    this.#measure = measure;
  }

  get results(): BarResult[] {
    return this.#bars.map((bar, index) => ({
      ...bar,
      values: this.#rounds.map((values) => values[index] ?? Number.NaN),
      seconds: this.#seconds,
    }));
  }

  get isDecided(): boolean {
    return this.results.every((result) => verdictOf(result) !== "undecided");
  }

  async runRound(): Promise<void> {
    const begin = performance.now();
    this.#rounds.push(await this.#measure(this.#rounds.length));
    this.#seconds += (performance.now() - begin) / 1000;
  }
}

/** Rounds over all parts. A part ends when its bars are decided; the time that is left goes to the others. */
export async function measureParts(parts: readonly Part[], hasTime: () => boolean): Promise<BarResult[]> {
  const toResults = () => parts.flatMap(({ results }) => results);
  for (let open = parts; open.length > 0; open = open.filter(({ isDecided }) => !isDecided)) {
    for (const part of open) {
      if (!hasTime()) return toResults();
      await part.runRound();
    }
  }
  return toResults();
}
