import { readFileSync } from "node:fs";

/** A line of a history: history.ts describes the format, which is all that the checker knows. */
export interface Line {
  readonly op: string;
  readonly invoked: number;
  readonly ended: number;
  readonly outcome: "ok" | "failed" | "unknown";
  readonly values: Readonly<Record<string, string | number | boolean | null>>;
}

/** What a part has found. Without findings it has held. */
export interface Verdict {
  readonly figures: Readonly<Record<string, number>>;
  readonly findings: readonly string[];
}

export class Lines {
  readonly #all: readonly Line[];

  constructor(lines: readonly Line[]) {
    this.#all = lines;
  }

  /** Throws for a line that is not complete: a history that was cut short proves nothing. */
  static read(file: string): Lines {
    const text = readFileSync(file, "utf8");
    if (!text.endsWith("\n")) throw new Error("the history does not end with a whole line");
    return new Lines(text.trimEnd().split("\n").map(parseLine));
  }

  /** The lines of these operations, in the order in which they ended. */
  of(...ops: readonly string[]): readonly Line[] {
    return this.#all.filter(({ op }) => ops.includes(op));
  }

  ok(...ops: readonly string[]): readonly Line[] {
    return this.of(...ops).filter(isOk);
  }

  /** Whether sessions, tokens, limits and channels were in a Redis that keeps nothing on disk. */
  get isRedis(): boolean {
    return this.#start.stores === "redis";
  }

  get instances(): number {
    return Number(this.#start.instances);
  }

  /** How often Redis has lost all that it held. */
  get redisRestarts(): number {
    return this.of("fault").filter(({ values }) => values.kind === "redis restart").length;
  }

  get #start(): Line["values"] {
    const [start] = this.of("start");
    if (start === undefined) throw new Error("the history has no start");
    return start.values;
  }
}

export const isOk = ({ outcome }: Line): boolean => outcome === "ok";

export function groupBy(lines: readonly Line[], value: string): Map<string, readonly Line[]> {
  return Map.groupBy(lines, ({ values }) => String(values[value]));
}

/** Collects what a part has found. A check of too few operations cannot fail, so that is a finding, too. */
export class Findings {
  readonly #figures: Record<string, number> = {};
  readonly #findings: string[] = [];

  atLeast(name: string, count: number, least: number): this {
    this.#figures[name] = count;
    if (count < least) this.#findings.push(`too few: ${name} ${count}, at least ${least} are needed`);
    return this;
  }

  show(name: string, count: number): this {
    this.#figures[name] = count;
    return this;
  }

  /** Counts what was violated. */
  none(name: string, found: readonly string[]): this {
    this.#figures[name] = found.length;
    this.#findings.push(...found.map((text) => `${name}: ${text}`));
    return this;
  }

  done(): Verdict {
    return { figures: this.#figures, findings: this.#findings };
  }
}

function parseLine(text: string): Line {
  const line = JSON.parse(text) as Line; // checked below
  const isWhole =
    typeof line.op === "string" &&
    Number.isFinite(line.invoked) &&
    line.ended >= line.invoked &&
    ["ok", "failed", "unknown"].includes(line.outcome) &&
    typeof line.values === "object";
  if (!isWhole) throw new Error(`not a line of a history: ${text}`);
  return line;
}
