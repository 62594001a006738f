/** A word, the letters of `-fl5`, or a flag: `--name` or `--name=value`. `typed` has no value, which may be a secret. */
export type Argument =
  | { readonly kind: "word" | "letters"; readonly typed: string }
  | { readonly kind: "flag"; readonly typed: string; readonly name: string; readonly value: string | undefined };

/** The grammar of arguments, for commands and for the flags of a configuration. A bare `--` ends the flags. */
export class ArgumentReader {
  readonly #argv: readonly string[];
  #position = 0;

  constructor(argv: readonly string[]) {
    this.#argv = argv;
  }

  *[Symbol.iterator](): Generator<Argument> {
    let isOver = false;
    for (let typed = this.#take(); typed !== undefined; typed = this.#take()) {
      if (isOver || !isFlag(typed)) yield { kind: "word", typed };
      else if (typed === "--") isOver = true;
      else yield typed.startsWith("--") ? toLong(typed) : { kind: "letters", typed };
    }
  }

  /** The value of the flag that was read last: the next word, if one follows. */
  takeValue(): string | undefined {
    const next = this.#argv[this.#position];
    return next === undefined || isFlag(next) ? undefined : this.#take();
  }

  #take(): string | undefined {
    return this.#argv[this.#position++];
  }
}

function toLong(text: string): Argument {
  const equals = text.indexOf("=");
  const typed = equals < 0 ? text : text.slice(0, equals);
  return { kind: "flag", typed, name: typed.slice(2), value: equals < 0 ? undefined : text.slice(equals + 1) };
}

/** A lone dash and negative numbers are words. */
export function isFlag(text: string): boolean {
  return /^-[^0-9.]/.test(text);
}
