import { type CommonFlag, type Flag, type FlagSet, helpLetter, isCommonFlag, isSwitch } from "./flags.ts";

/** What was typed, taken apart. */
export interface Arguments {
  readonly words: readonly string[];
  /** By field for declared flags, by name for others; the first of a repeated one wins. */
  readonly flags: ReadonlyMap<string, string>;
  readonly common: ReadonlySet<CommonFlag>;
  /** `--version` or `-V` in the place of a command. */
  readonly version: boolean;
  /** What is wrong with the flags, in the order of typing. */
  readonly problems: readonly string[];
}

/** `flagsOf` gives the flags of the command that begins with these words: they decide what takes a value. */
export function parseArgv(argv: readonly string[], flagsOf: (words: readonly string[]) => FlagSet): Arguments {
  const end = argv.indexOf("--");
  const tokens = end < 0 ? argv : argv.slice(0, end);
  const leading = toLeadingWords(tokens);
  const parser = new Parser(flagsOf(leading), leading.length === 0);
  parser.read(tokens);
  for (const word of end < 0 ? [] : argv.slice(end + 1)) parser.words.push(word);
  return parser;
}

class Parser implements Arguments {
  readonly words: string[] = [];
  readonly flags = new Map<string, string>();
  readonly common = new Set<CommonFlag>();
  readonly problems: string[] = [];
  version = false;
  readonly #declared: FlagSet;
  readonly #atRoot: boolean;
  #rest: string[] = [];

  constructor(declared: FlagSet, atRoot: boolean) {
    this.#declared = declared;
    this.#atRoot = atRoot;
  }

  read(tokens: readonly string[]): void {
    this.#rest = tokens.toReversed();
    for (let token = this.#rest.pop(); token !== undefined; token = this.#rest.pop()) {
      if (!isFlag(token)) this.words.push(token);
      else if (token.startsWith("--")) this.#readLong(token);
      else this.#readLetters(token.slice(1));
    }
  }

  #readLong(token: string): void {
    const equals = token.indexOf("=");
    const name = token.slice(2, equals < 0 ? undefined : equals);
    const value = equals < 0 ? undefined : token.slice(equals + 1);
    if (isCommonFlag(name)) {
      if (value === undefined) this.common.add(name);
      else this.problems.push(`--${name} takes no value`);
      return;
    }
    if (name === "version" && value === undefined && this.#atRoot) {
      this.version = true;
      return;
    }
    const flag = this.#declared.find(name);
    if (flag === undefined) this.#readUndeclared(name, value);
    else this.#readDeclared(flag, value);
  }

  #readUndeclared(name: string, value: string | undefined): void {
    const denied = name.startsWith("no-") && value === undefined ? this.#declared.find(name.slice(3)) : undefined;
    // without a name there is a value: a bare "--" has ended the flags
    if (denied !== undefined && isSwitch(denied)) this.#set(denied, "false");
    else if (name === "") this.problems.push(`a flag has a name: --name=${value}`);
    else if (!this.flags.has(name)) this.flags.set(name, value ?? this.#takeValue() ?? "true");
    else if (value === undefined) this.#takeValue();
  }

  #readDeclared(flag: Flag, value: string | undefined): void {
    const given = value ?? (isSwitch(flag) ? "true" : this.#takeValue());
    if (given === undefined) this.problems.push(`--${flag.name} needs a value`);
    else this.#set(flag, given);
  }

  /** `-f`, `-fv` for two of them, `-l5`, `-l=5` and `-l 5`. */
  #readLetters(letters: string): void {
    let end = 0;
    for (const letter of letters) {
      end += letter.length;
      const isVersion = letter === "V" && this.#atRoot;
      const flag = isVersion ? undefined : this.#declared.findLetter(letter);
      if (flag !== undefined && (letters[end] === "=" || !isSwitch(flag))) {
        const value = letters.slice(letters[end] === "=" ? end + 1 : end);
        this.#readDeclared(flag, end === letters.length ? undefined : value);
        return;
      }
      if (flag !== undefined) this.#set(flag, "true");
      else if (letter === helpLetter) this.common.add("help");
      else if (isVersion) this.version = true;
      else {
        this.problems.push(`unknown flag -${letter}`);
        return;
      }
    }
  }

  #set({ field, name, declaration }: Flag, value: string): void {
    const present = this.flags.get(field);
    if (present === undefined) this.flags.set(field, value);
    else if (declaration.kind === "array") this.flags.set(field, `${present},${value}`);
    else this.problems.push(`--${name} is given twice`);
  }

  /** The next word, if one follows. */
  #takeValue(): string | undefined {
    const next = this.#rest.at(-1);
    return next === undefined || isFlag(next) ? undefined : this.#rest.pop();
  }
}

/** The words before the first flag that may take a value. */
function toLeadingWords(tokens: readonly string[]): string[] {
  const rest = tokens.filter((token) => !isBareCommonFlag(token));
  const end = rest.findIndex(isFlag);
  return end < 0 ? rest : rest.slice(0, end);
}

function isBareCommonFlag(token: string): boolean {
  return token === `-${helpLetter}` || (token.startsWith("--") && isCommonFlag(token.slice(2)));
}

/** A lone dash and negative numbers are words. */
function isFlag(token: string): boolean {
  return /^-[^0-9.]/.test(token);
}
