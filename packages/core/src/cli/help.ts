import { paint } from "../log/log-pretty.ts";
import { type Command, type Flag, helpLetter, isSwitch } from "./commands.ts";
import { pad, showControls, widthOf } from "./text.ts";

export interface Program {
  /** The name of the command. Every error message starts with it. */
  readonly name: string;
  /** Shown by `--version`, which does not exist without it. */
  readonly version?: string;
  /** Shown by `--help`. */
  readonly description?: string;
}

/** What help is about: the program, a group of its commands, or one command. */
export interface Topic {
  readonly words: readonly string[];
  readonly command: Command | undefined;
  /** The commands that begin with these words. */
  readonly below: readonly Command[];
}

type Entry = readonly [left: string, right: string];

export function toHelp(program: Program, topic: Topic, color: boolean): string {
  const { words, command } = topic;
  const below = topic.below.filter(({ title }) => title !== command?.title);
  const sections = [
    ...(words.length === 0 ? [toHeading(program)] : []),
    ...(command === undefined ? [] : [command.summary, command.description].map(showControls)),
    `${paint("bold", "Usage:", color)} ${toUsage(program, topic, below.length > 0)}`,
    ...toSection("Commands", below.map(toCommandEntry), color),
    ...toSection("Flags", [...(command?.flags ?? []).map(toFlagEntry), ...toCommonEntries(program, topic)], color),
    ...(below.length > 0 ? [`${program.name} <command> --help shows the flags of a command.`] : []),
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function toHeading({ name, version, description }: Program): string {
  if (version === undefined && description === undefined) return "";
  return [[name, version].filter(Boolean).join(" "), description].filter(Boolean).join(": ");
}

function toUsage({ name }: Program, { words, command }: Topic, hasMore: boolean): string {
  const place = command?.title ?? [...words, "<command>"].join(" ");
  const line = [name, place, "[flags]"].filter((part) => part !== "").join(" ");
  return command !== undefined && hasMore ? `${line}, or a command below it` : line;
}

function toSection(title: string, entries: readonly Entry[], color: boolean): string[] {
  if (entries.length === 0) return [];
  const width = Math.max(...entries.map(([left]) => widthOf(left)));
  const lines = entries.map(([left, right]) => `  ${pad(left, width)}  ${right}`.trimEnd());
  return [[paint("bold", `${title}:`, color), ...lines].join("\n")];
}

function toCommandEntry({ title, summary: text, flags = [] }: Command): Entry {
  if (text !== "") return [title, showControls(text)];
  const summary = flags.map((flag) => {
    const text = toSpelling(flag);
    return flag.declaration.required ? text : `[${text}]`;
  });
  return [title, summary.join(" ")];
}

function toFlagEntry(flag: Flag): Entry {
  const { letter, required, description, kind, defaultValue } = flag.declaration;
  const notes = [
    showControls(description),
    required ? "required" : "",
    kind === "array" ? "separated by commas, or repeated" : "",
    kind === "object" ? "only with --stdin" : "",
    ...flag.declaration.rules(),
    defaultValue === undefined ? "" : `defaults to ${showControls(String(defaultValue))}`,
  ];
  return [withLetter(letter, toSpelling(flag)), notes.filter((note) => note !== "").join("; ")];
}

function toSpelling(flag: Flag): string {
  if (isSwitch(flag)) return `--${flag.name}`;
  const { kind } = flag.declaration;
  return `--${flag.name}=<${kind === "array" ? "list" : kind}>`;
}

function toCommonEntries({ version }: Program, { words, command }: Topic): Entry[] {
  const entries: Entry[] = [[withLetter("", "--json"), "Print the result as JSON"]];
  const takesJson = command?.flags !== undefined;
  if (takesJson) entries.push([withLetter("", "--stdin"), "Read the values as JSON from standard input"]);
  entries.push([withLetter(helpLetter, "--help"), "Show this help"]);
  if (words.length === 0 && version !== undefined) entries.push([withLetter("V", "--version"), "Show the version"]);
  return entries;
}

function withLetter(letter: string, spelling: string): string {
  return `${letter === "" ? "   " : `-${letter},`} ${spelling}`;
}
