import { findNearest } from "../nearest.ts";
import { type Arguments, parseArgv } from "./argv.ts";
import { type Commands, toPath, toTitle } from "./commands.ts";
import type { Command } from "./flags.ts";
import { commonFlags, FlagSet } from "./flags.ts";
import type { Topic } from "./help.ts";

interface HelpCall {
  readonly kind: "help";
  readonly topic: Topic;
}

interface VersionCall {
  readonly kind: "version";
}

/** Not usable as it was typed, which is told before anything starts. With a topic the help follows. */
export interface Refusal {
  readonly kind: "refusal";
  readonly message: string;
  readonly topic?: Topic;
}

export interface CommandCall {
  readonly kind: "command";
  readonly path: string;
  readonly search: string;
  /** What `bind()` reads; undefined when it reads standard input. */
  readonly fields: Readonly<Record<string, string>> | undefined;
}

/** What somebody asks for at a terminal. */
export type Invocation = { readonly json: boolean } & (HelpCall | VersionCall | Refusal | CommandCall);

interface Place {
  readonly words: readonly string[];
  readonly command: Command | undefined;
}

export function readInvocation(argv: readonly string[], commands: Commands): Invocation {
  const typed = parseArgv(argv, (leading) => {
    const { words, command } = locate(commands, leading);
    return new FlagSet(command === undefined ? commands.under(words) : [command]);
  });
  const json = typed.common.has("json");
  if (typed.version) return { json, kind: "version" };

  const isHelpWord = typed.words[0] === "help" && commands.under(["help"]).length === 0;
  const place = locate(commands, isHelpWord ? typed.words.slice(1) : typed.words);
  const below = commands.under(place.words);
  if (isHelpWord || typed.common.has("help")) {
    if (place.command === undefined && below.length === 0) return { json, ...refuseUnknown(commands, place.words) };
    const [only] = below;
    const command = place.command ?? (below.length === 1 && lacksOnlyArguments(below, place.words) ? only : undefined);
    return { json, kind: "help", topic: { words: place.words, command, below } };
  }

  if (place.command === undefined) {
    const topic = { words: place.words, command: undefined, below };
    return { json, ...refuse(commands, topic, typed) };
  }
  const problems = [...typed.problems, ...findUnknownFlags(place.command, typed.flags.keys())];
  if (problems.length > 0) return { json, kind: "refusal", message: problems.join("; ") };
  const common = [...typed.common].map((name) => [name, "true"] as const);
  return {
    json,
    kind: "command",
    path: toPath(place.words),
    search: [...typed.flags, ...common].map((pair) => pair.map(encode).join("=")).join("&"),
    fields: typed.common.has("stdin") ? undefined : Object.fromEntries(typed.flags),
  };
}

/** Only the first word may be a command that is typed with "/": in all others a slash belongs to the value. */
function locate(commands: Commands, words: readonly string[]): Place {
  const [first = "", ...rest] = words;
  const split = [...first.split("/").filter((part) => part !== ""), ...rest];
  const command = commands.find(split);
  const whole = command === undefined ? commands.find(words) : undefined;
  return whole === undefined ? { words: split, command } : { words, command: whole };
}

function refuse(commands: Commands, topic: Topic, typed: Arguments): Refusal {
  const { words, below } = topic;
  const [first] = below;
  const unknownFlags = findFlagsOfNone(commands, typed.flags.keys());
  const withFlags = (message: string) => [message, ...typed.problems, ...unknownFlags].join("; ");
  if (words.length === 0) return { kind: "refusal", message: withFlags("no command given"), topic };
  if (first === undefined) {
    // an unknown flag takes the next word as its value, which may have been the first word of the command
    return unknownFlags.length > 0
      ? { kind: "refusal", message: unknownFlags.join("; ") }
      : refuseUnknown(commands, words);
  }
  const empty = first.pattern.params.find(({ index }) => words[index] === "");
  if (empty !== undefined) return { kind: "refusal", message: `<${empty.name}> of "${first.title}" is empty` };
  const name = quote(words);
  if (!lacksOnlyArguments(below, words)) {
    return { kind: "refusal", message: withFlags(`${name} is a group of commands`), topic };
  }
  return { kind: "refusal", message: `${name} needs ${toTitle(first.pattern, words.length)}` };
}

function refuseUnknown(commands: Commands, words: readonly string[]): Refusal {
  for (let end = words.length - 1; end > 0; end--) {
    const command = commands.find(words.slice(0, end));
    const extra = quote(words.slice(end, end + 1));
    if (command !== undefined) return { kind: "refusal", message: `"${command.title}" does not take ${extra}` };
  }
  const message = `unknown command ${quote(words)}`;
  return { kind: "refusal", message: withSuggestion(message, commands.nearest(words)) };
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
  return [...given].filter((name) => !known.has(name)).map((name) => explainFlag(name, names, ` of "${title}"`));
}

/** Flags that no command declares, where no command was found. */
function findFlagsOfNone(commands: Commands, given: Iterable<string>): string[] {
  const declared = new FlagSet(commands.all());
  const names = [...declared.all.map(({ name }) => name), ...commonFlags, "version"];
  return [...given].filter((name) => declared.find(name) === undefined).map((name) => explainFlag(name, names));
}

function explainFlag(name: string, names: readonly string[], owner = ""): string {
  const nearest = findNearest(name, names);
  return withSuggestion(`unknown flag --${name}${owner}`, nearest === undefined ? undefined : `--${nearest}`);
}

function withSuggestion(message: string, suggestion: string | undefined): string {
  return suggestion === undefined ? message : `${message}. Did you mean ${JSON.stringify(suggestion)}?`;
}

function quote(words: readonly string[]): string {
  return `"${words.join(" ")}"`;
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
