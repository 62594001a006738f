import { paint } from "../log/log-pretty.ts";
import { type Command, type Flag, helpLetter } from "./commands.ts";
import type { LayoutOptions } from "./layout.ts";
import type { Positional } from "./positionals.ts";
import { alignEntries, type Entry, showControls, wrap } from "./text.ts";

export interface Program {
  /** The name of the command. Every error message starts with it. */
  readonly name: string;
  /** Shown by `--version`, which does not exist without it. */
  readonly version?: string;
  /** Shown by `--help`. */
  readonly description?: string;
  /** What groups of commands are about, by their first words: `{ db: "The database", "db backup": "Copies of it" }`. */
  readonly groups?: Readonly<Record<string, string>>;
  /** Commands and groups that `--help` lists first, by their first words: `["dev", "db"]`. The others follow by name. */
  readonly first?: readonly string[];
  /** Other names of commands and groups: `{ generate: "g" }`. `--help` lists them in one line. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** What help is about: the program, a group of its commands, or one command. */
export interface Topic {
  readonly words: readonly string[];
  readonly command: Command | undefined;
  /** The commands that begin with these words. */
  readonly below: readonly Command[];
}

export function toHelp(program: Program, topic: Topic, options: LayoutOptions): string {
  const { words, command } = topic;
  const below = topic.below.filter(({ title }) => title !== command?.title);
  const flags = [...(command?.flags ?? []).map(toFlagEntry), ...toCommonEntries(program, topic)];
  const paragraph = (text: string) => wrap(text, options.width).join("\n");
  const sections = [
    paragraph(words.length === 0 ? toHeading(program) : ""),
    ...toAbout(program, topic).map((text) => paragraph(showLines(text))),
    toUsage(program, topic, below.length > 0, options),
    ...toCommandSections(program, topic, below, options),
    ...toSection("Arguments", toPositionalEntries(command), options),
    ...toSection("Flags", flags, options),
    paragraph(words.length === 0 ? toAliases(program) : ""),
    ...(below.length > 0 ? [paragraph(`${program.name} <command> --help shows the flags of a command.`)] : []),
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function toHeading({ name, version, description }: Program): string {
  if (version === undefined && description === undefined) return "";
  return [[name, version].filter(Boolean).join(" "), description].filter(Boolean).join(": ");
}

function toAbout({ groups = {} }: Program, { words, command }: Topic): string[] {
  if (command !== undefined) return [command.summary, command.description];
  return Object.entries(groups).flatMap(([name, text]) => (name === words.join(" ") ? [text] : []));
}

/** A description may have several lines. */
function showLines(text: string): string {
  return text.trim().split(/\r?\n/).map(showControls).join("\n");
}

function toUsage(
  { name }: Program,
  { words, command }: Topic,
  hasMore: boolean,
  { color, width }: LayoutOptions,
): string {
  const label = "Usage:";
  const place = command?.title ?? [...words, "<command>"].join(" ");
  const usage = [name, place, "[flags]"].filter((part) => part !== "").join(" ");
  const line = `${label} ${command !== undefined && hasMore ? `${usage}, or a command below it` : usage}`;
  const [first = "", ...rest] = wrap(line, width);
  return [`${paint("bold", label, color)}${first.slice(label.length)}`, ...rest.map((more) => `  ${more}`)].join("\n");
}

function toAliases({ aliases = {} }: Program): string {
  const list = Object.entries(aliases).map(([alias, name]) => `${alias} for ${name}`);
  return list.length === 0 ? "" : `Aliases: ${list.join(", ")}`;
}

/** A described group has a section of its own. */
function toCommandSections(
  { groups = {}, first = [] }: Program,
  { words }: Topic,
  commands: readonly Command[],
  options: LayoutOptions,
): string[] {
  const described = Object.entries(groups)
    .filter(([name]) => name.split(" ").length > words.length)
    .sort(([a], [b]) => b.length - a.length); // a command belongs to the longest name
  const findGroup = ({ title }: Command) => described.find(([name]) => `${title} `.startsWith(`${name} `));
  const rank = (title: string) => {
    const index = first.findIndex((name) => `${title} `.startsWith(`${name} `));
    return index < 0 ? first.length : index;
  };
  const byGroup = Map.groupBy(
    commands.toSorted((a, b) => rank(a.title) - rank(b.title)),
    findGroup,
  );
  return [...byGroup]
    .sort(([a], [b]) => Number(a !== undefined) - Number(b !== undefined))
    .flatMap(([group, members]) => {
      const [name, text] = group ?? ["Commands", ""];
      return toSection(name, members.map(toCommandEntry), options, showControls(text));
    });
}

function toSection(title: string, entries: readonly Entry[], { color, width }: LayoutOptions, about = ""): string[] {
  if (entries.length === 0) return [];
  const [first = "", ...rest] = wrap(`${title}: ${about}`.trimEnd(), width);
  const heading = `${paint("bold", `${title}:`, color)}${first.slice(title.length + 1)}`;
  return [[heading, ...rest.map((line) => `  ${line}`), ...alignEntries(entries, width)].join("\n")];
}

function toCommandEntry({ title, summary: text, flags = [] }: Command): Entry {
  if (text !== "") return [title, showControls(text)];
  const summary = flags.map((flag) => {
    const text = toSpelling(flag);
    return flag.declaration.required ? text : `[${text}]`;
  });
  return [title, summary.join(" ")];
}

/** None when nothing is declared about them. */
function toPositionalEntries(command: Command | undefined): Entry[] {
  const entries = (command?.positionals ?? []).map(toPositionalEntry);
  return entries.some(([, right]) => right !== "") ? entries : [];
}

function toPositionalEntry({ title, declaration }: Positional): Entry {
  if (declaration === undefined) return [title, ""];
  const rules = title.includes("|") ? [] : declaration.rules(); // the title is the choice
  return [title, toNotes([declaration.description, ...rules])];
}

function toFlagEntry(flag: Flag): Entry {
  const { letter, required, description, textForm, defaultValue } = flag.declaration;
  const notes = toNotes([
    description,
    required ? "required" : "",
    textForm === "list" ? "separated by commas, or repeated" : "",
    textForm === "none" ? "only with --stdin" : "",
    ...flag.declaration.rules(),
    defaultValue === undefined ? "" : `defaults to ${String(defaultValue)}`,
  ]);
  return [withLetter(letter, toSpelling(flag)), notes];
}

function toNotes(notes: readonly string[]): string {
  return notes
    .filter((note) => note !== "")
    .map(showControls)
    .join("; ");
}

function toSpelling(flag: Flag): string {
  if (flag.isSwitch) return `--${flag.name}`;
  const { kind, textForm } = flag.declaration;
  return `--${flag.name}=<${textForm === "list" ? textForm : kind}>`;
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
