import { findNearest } from "../support/nearest.ts";
import { type Arguments, parseArgv } from "./argv.ts";
import { type Command, type Commands, commonFlags, encodeWord, flagsOf, toPath } from "./commands.ts";
import type { Program, Topic } from "./help.ts";
import { toTitle } from "./positionals.ts";

/** An error in the arguments, reported before the application starts. With a topic, its help follows. */
interface UsageError {
  readonly kind: "usage-error";
  readonly message: string;
  readonly topic: Topic | undefined;
}

export interface CommandCall {
  readonly kind: "command";
  readonly path: string;
  readonly search: string;
  /** What `bind()` reads; undefined when it reads standard input. */
  readonly fields: Readonly<Record<string, string>> | undefined;
}

/** What the arguments ask for. */
export type Invocation = { readonly json: boolean } & (
  | { readonly kind: "help"; readonly topic: Topic }
  | { readonly kind: "version" }
  | UsageError
  | CommandCall
);

type Place = Pick<Topic, "words" | "command">;

export function readInvocation(argv: readonly string[], commands: Commands, program: Program): Invocation {
  const typed = parseArgv(argv, (leading) => {
    const { words, command } = locate(commands, leading);
    return flagsOf(command === undefined ? commands.under(words) : [command]);
  });
  const json = typed.common.has("json");
  if (typed.version) {
    return { json, ...(program.version === undefined ? refuse("unknown flag --version") : { kind: "version" }) };
  }

  const isHelpWord = typed.words[0] === "help" && commands.under(["help"]).length === 0;
  const { words, command } = locate(commands, isHelpWord ? typed.words.slice(1) : typed.words);
  const below = commands.under(words);
  if (isHelpWord || typed.common.has("help")) {
    if (command === undefined && below.length === 0) return { json, ...refuseUnknown(commands, words, program) };
    const only = below.length === 1 && lacksOnlyArguments(below, words) ? below[0] : undefined;
    return { json, kind: "help", topic: { words, command: command ?? only, below } };
  }

  if (command === undefined) return { json, ...refusePlace(commands, { words, command, below }, typed, program) };
  const problems = [...typed.problems, ...findUnknownFlags(command, typed.flags.keys())];
  if (problems.length > 0) return { json, ...refuse(problems.join("; ")) };
  const common = [...typed.common].map((name) => [name, "true"] as const);
  return {
    json,
    kind: "command",
    path: toPath(words),
    search: [...typed.flags, ...common].map((pair) => pair.map(encodeWord).join("=")).join("&"),
    fields: typed.common.has("stdin") ? undefined : Object.fromEntries(typed.flags),
  };
}

/** Only the first word may be a command typed with "/": in any other word a slash belongs to the value. */
function locate(commands: Commands, words: readonly string[]): Place {
  const [first = "", ...rest] = words;
  const split = commands.expand([...first.split("/").filter((part) => part !== ""), ...rest]);
  const command = commands.find(split);
  const whole = command === undefined ? commands.find(words) : undefined;
  return whole === undefined ? { words: split, command } : { words, command: whole };
}

function refuse(message: string, topic?: Topic): UsageError {
  return { kind: "usage-error", message, topic };
}

/** Says why no command is found, and which ones are close. */
function refusePlace(commands: Commands, topic: Topic, typed: Arguments, program: Program): UsageError {
  const { words, below } = topic;
  const [first] = below;
  const withFlags = (message: string) => [message, ...typed.problems].join("; ");
  if (words.length === 0) return refuse(withFlags("no command given"), topic);
  if (first === undefined) return refuseUnknown(commands, words, program);
  const empty = first.pattern.params.find(({ index }) => words[index] === "");
  if (empty !== undefined) return refuse(`<${empty.name}> of "${first.title}" is empty`);
  const name = quote(words);
  return lacksOnlyArguments(below, words)
    ? refuse(`${name} needs ${toTitle(first.pattern, first.positionals, words.length)}`)
    : refuse(withFlags(`${name} is a group of commands`), topic);
}

function refuseUnknown(commands: Commands, words: readonly string[], { name }: Program): UsageError {
  for (let end = words.length - 1; end > 0; end--) {
    const [known, [word]] = [words.slice(0, end), words.slice(end) as [string, ...string[]]]; // at least one
    const command = commands.find(known);
    if (command === undefined) continue;
    return refuse(`"${command.title}" does not take "${word}". ${name} ${known.join(" ")} --help shows what it takes.`);
  }
  const message = `unknown command ${quote(words)}`;
  const nearest = commands.nearest(words);
  return refuse(
    nearest === undefined ? `${message}. ${name} --help lists the commands.` : withSuggestion(message, nearest),
  );
}

function lacksOnlyArguments(commands: readonly Command[], words: readonly string[]): boolean {
  return commands.every(({ pattern }) =>
    pattern.segments.slice(words.length).every((segment) => segment === undefined),
  );
}

function findUnknownFlags({ title, flags }: Command, given: Iterable<string>): string[] {
  if (flags === undefined) return [];
  const known = new Set(flags.map(({ field }) => field));
  const names = [...flags.map(({ name }) => name), ...commonFlags];
  return [...given]
    .filter((name) => !known.has(name))
    .map((name) => {
      const nearest = findNearest(name, names);
      const message = `unknown flag --${name} of "${title}"`;
      return withSuggestion(message, nearest === undefined ? undefined : `--${nearest}`);
    });
}

function withSuggestion(message: string, suggestion: string | undefined): string {
  return suggestion === undefined ? message : `${message}. Did you mean ${JSON.stringify(suggestion)}?`;
}

function quote(words: readonly string[]): string {
  return `"${words.join(" ")}"`;
}
