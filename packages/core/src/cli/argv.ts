import { type CommonFlag, type Flag, findFlag, helpLetter, isCommonFlag, isSwitch } from "./commands.ts";

/** `findFlags` returns the flags of the command that begins with these words: they decide which flags take a value. */
export function parseArgv(
  argv: readonly string[],
  findFlags: (words: readonly string[]) => readonly Flag[],
): Arguments {
  const end = argv.indexOf("--");
  const tokens = end < 0 ? argv : argv.slice(0, end);
  const leading = toLeadingWords(tokens);
  const parsed = new Arguments(tokens, findFlags(leading), leading.length === 0);
  for (const word of end < 0 ? [] : argv.slice(end + 1)) parsed.words.push(word);
  return parsed;
}

/** The parsed arguments. */
export class Arguments {
  readonly words: string[] = [];
  /** By field for declared flags, by name for others; the first value of a repeated flag wins. */
  readonly flags = new Map<string, string>();
  readonly common = new Set<CommonFlag>();
  /** Mistakes in the flags, in the order of typing. */
  readonly problems: string[] = [];
  /** `--version` or `-V` in place of a command. */
  version = false;
  readonly #declared: readonly Flag[];
  readonly #atRoot: boolean;
  /** What is not read yet, the next token last. */
  readonly #rest: string[];

  constructor(tokens: readonly string[], declared: readonly Flag[], atRoot: boolean) {
    this.#declared = declared;
    this.#atRoot = atRoot;
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
    const flag = findFlag(this.#declared, name);
    if (flag === undefined) this.#readUndeclared(name, value);
    else this.#readDeclared(flag, value);
  }

  #readUndeclared(name: string, value: string | undefined): void {
    const denied = name.startsWith("no-") && value === undefined ? findFlag(this.#declared, name.slice(3)) : undefined;
    // a flag without a name has a value here: a bare "--" has ended the flags
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
      const flag = isVersion ? undefined : this.#declared.find(({ declaration }) => declaration.letter === letter);
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
