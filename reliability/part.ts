/** A requirement of a part. A part without it is left out, and the table says so. */
export type Need =
  | "postgres"
  | "redis"
  | "own postgres"
  | "own redis"
  | "strace"
  | "nginx"
  | "haproxy"
  | "pgbouncer"
  | "faketime"
  | "namespaces";

export interface PartOptions {
  /** The shortened form, for every change; the figures of the plan need the full form. */
  readonly short: boolean;
  /** Repeats a random run. Undefined: a new seed, which is printed. */
  readonly seed: number | undefined;
  /** The duration of the soak. */
  readonly minutes: number;
  /** Reports progress in one line. */
  readonly say: (text: string) => void;
}

export interface PartResult {
  readonly figures: Readonly<Record<string, string | number>>;
  readonly ok: boolean;
  /** Whether only times are over their bars. */
  readonly isLate?: true;
  /** Why it is not ok, or a remark on the figures. */
  readonly note?: string;
  readonly table?: FigureTable;
  /** The results of the parts that share the run, by their ids: they replace this one. */
  readonly byPart?: Readonly<Record<string, PartResult>>;
}

/** Figures over time, printed below the others. */
export interface FigureTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** One line of the plan. */
export interface Part {
  readonly id: string;
  readonly title: string;
  /** The pass criterion of the plan, in words. */
  readonly bar: string;
  readonly needs: readonly Need[];
  /**
   * Runs alone, because a busy machine would falsify what it measures, or because it keeps the machine busy. In the short
   * form, which judges no times, only with "always".
   */
  readonly alone?: true | "always";
  /** Only on demand, and after all others: `--soak`, `--only L5`, `npm run test:soak`. */
  readonly onDemand?: boolean;
  /** Not in the short form, where it would repeat test files, judge nothing but times, or take too long. */
  readonly fullOnly?: boolean;
  /** Minutes after which its full form is ended. Defaults to 15. */
  readonly longest?: number;
  /** Parts with the same function run once, together. */
  run(options: PartOptions): Promise<PartResult>;
}

/** Collects the figures of a part, each against its bar. */
export class Figures {
  readonly #figures: Record<string, string | number> = {};
  readonly #misses: string[] = [];
  readonly #late: string[] = [];
  readonly #notes: string[] = [];
  #table: FigureTable | undefined;

  /** Records a figure without a bar. */
  show(name: string, value: string | number): this {
    this.#figures[name] = value;
    return this;
  }

  exactly(name: string, value: string | number, expected: string | number): this {
    return this.#judge(name, value, value === expected, `is not ${expected}`);
  }

  atMost(name: string, value: number, bar: number): this {
    return this.#judge(name, value, value <= bar, `is over ${bar}`);
  }

  /** A time, or a ratio of times. Only the full form judges it: in CI other programs may have the machine. */
  inTime(name: string, value: number, bar: number): this {
    this.#figures[name] = round(value);
    if (!(value <= bar)) this.#late.push(`${name} ${round(value)} is over ${bar}`);
    return this;
  }

  atLeast(name: string, value: number, bar: number): this {
    return this.#judge(name, value, value >= bar, `is under ${bar}`);
  }

  holds(what: string, condition: boolean): this {
    if (!condition) this.#misses.push(`${what}: no`);
    return this;
  }

  miss(text: string): this {
    this.#misses.push(text);
    return this;
  }

  note(text: string): this {
    this.#notes.push(text);
    return this;
  }

  table(table: FigureTable): this {
    this.#table = table;
    return this;
  }

  done(): PartResult {
    const texts = [...this.#misses, ...this.#late, ...this.#notes];
    return {
      figures: this.#figures,
      ok: this.#misses.length === 0,
      ...(this.#late.length === 0 ? {} : { isLate: true }),
      ...(texts.length === 0 ? {} : { note: texts.join("; ") }),
      ...(this.#table === undefined ? {} : { table: this.#table }),
    };
  }

  #judge(name: string, value: string | number, met: boolean, how: string): this {
    this.#figures[name] = typeof value === "number" ? round(value) : value;
    if (!met) this.#misses.push(`${name} ${this.#figures[name]} ${how}`);
    return this;
  }
}

/** Rounds to three significant digits. */
export function round(value: number): number {
  if (!Number.isFinite(value) || Number.isInteger(value)) return value;
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return Number(value.toFixed(Math.min(digits, 3)));
}
