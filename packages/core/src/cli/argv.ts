import { ArgumentReader, isFlag } from "../support/arguments.ts";
import { type CommonFlag, type Flag, findFlag, helpLetter, isCommonFlag } from "./commands.ts";

/** `findFlags` returns the flags of the command that begins with these words: they decide which flags take a value. */
export function parseArgv(
  argv: readonly string[],
  findFlags: (words: readonly string[]) => readonly Flag[],
): Arguments {
  const leading = toLeadingWords(argv);
  return new Arguments(argv, findFlags(leading), leading.length === 0);
}

/** The parsed arguments. */
export class Arguments {
  readonly words: string[] = [];
  /** By field for declared flags, by name for others; the first value of a repeated flag wins. */
  readonly flags = new Map<string, string>();
  readonly common = new Set<CommonFlag>();
  /** Problems of the flags, in the order of typing. */
  readonly problems: string[] = [];
  /** `--version` or `-V` instead of a command. */
  version = false;
  readonly #declared: readonly Flag[];
  readonly #atRoot: boolean;
  readonly #reader: ArgumentReader;

  constructor(argv: readonly string[], declared: readonly Flag[], atRoot: boolean) {
    this.#declared = declared;
    this.#atRoot = atRoot;
    this.#reader = new ArgumentReader(argv);
    for (const argument of this.#reader) {
      if (argument.kind === "word") this.words.push(argument.typed);
      else if (argument.kind === "flag") this.#readLong(argument.name, argument.value);
      else this.#readLetters(argument.typed.slice(1));
    }
  }

  #readLong(name: string, value: string | undefined): void {
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
    if (denied?.isSwitch === true) this.#set(denied, "false");
    else if (!this.flags.has(name)) this.flags.set(name, value ?? this.#reader.takeValue() ?? "true");
    else if (value === undefined) this.#reader.takeValue();
  }

  #readDeclared(flag: Flag, value: string | undefined): void {
    const given = value ?? (flag.isSwitch ? "true" : this.#reader.takeValue());
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
      if (flag !== undefined && (letters[end] === "=" || !flag.isSwitch)) {
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
    else if (declaration.textForm === "list") this.flags.set(field, `${present},${value}`);
    else this.problems.push(`--${name} is given twice`);
  }
}

/** The words before the first flag that may take a value. */
function toLeadingWords(argv: readonly string[]): string[] {
  const rest = argv.filter((text) => !isBareCommonFlag(text));
  const end = rest.findIndex(isFlag);
  return end < 0 ? rest : rest.slice(0, end);
}

function isBareCommonFlag(text: string): boolean {
  return text === `-${helpLetter}` || (text.startsWith("--") && isCommonFlag(text.slice(2)));
}
