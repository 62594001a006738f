import { toCommands } from "@tenon/core/internal";
import type { RouteInfo } from "@tenon/core/platform";
import { program } from "../program.ts";

const aliases: ReadonlyMap<string, string> = new Map(Object.entries(program.aliases));

type Command = ReturnType<typeof toCommands>[number];
type Flag = NonNullable<Command["flags"]>[number];

/** A candidate and what it is about. */
type Candidate = readonly [word: string, about: string];

const commonFlags: readonly Candidate[] = [
  ["--json", "Print the result as JSON"],
  ["--help", "Show the help"],
];

/** What can follow the words of a command line, the last of which is being typed: one line each, `word<TAB>about`. */
export function complete(routes: readonly RouteInfo[], words: readonly string[]): string {
  const commands = toCommands(routes);
  const typed = joinValues(words);
  const current = typed.pop() ?? "";
  const takesValue = (word: string | undefined) => findFlags(commands, word).some((flag) => !flag.isSwitch);
  const place = typed
    .filter((word, index) => !word.startsWith("-") && !takesValue(typed[index - 1]))
    .map((word, index) => (index === 0 ? (aliases.get(word) ?? word) : word));
  const here = toCommands(routes, place);

  const isInline = /^--[^=]+=/.test(current);
  const flag = isInline ? current.slice(0, current.indexOf("=")) : typed.at(-1);
  if (isInline || takesValue(flag)) {
    const isSplit = words.at(-1) !== current; // bash replaces only what follows the equals sign
    const prefix = isInline && !isSplit ? `${flag}=` : "";
    const start = isInline && isSplit ? current.slice(current.indexOf("=") + 1) : current;
    const values = findFlags(here, flag).flatMap(({ choices }) => choices);
    return toLines(
      values.map((value) => [`${prefix}${value}`, ""]),
      start,
    );
  }
  const next = here.flatMap((command) => nextWords(command, place.length));
  const own = here.filter(({ pattern }) => pattern.segments.length === place.length);
  const spelled = own.flatMap(({ flags = [] }) => flags).map(spell);
  const options = own.length > 0 && (current.startsWith("-") || next.length === 0) ? [...spelled, ...commonFlags] : [];
  return toLines([...next, ...options], current);
}

/** Bash splits words at the equals sign: `--template`, `=`, `api`. */
function joinValues(words: readonly string[]): string[] {
  const joined: string[] = [];
  let isValue = false;
  for (const word of words) {
    if (word === "=" || isValue) joined.push(`${joined.pop() ?? ""}${word}`);
    else joined.push(word);
    isValue = word === "=";
  }
  return joined;
}

/** The word that follows, or the values of one that the user chooses. */
function nextWords({ pattern: { segments }, positionals, summary }: Command, index: number): Candidate[] {
  const about = index === segments.length - 1 ? summary : "";
  const word = segments[index];
  if (word !== undefined) return [[word, about]];
  const { choices = [] } = positionals.find((one) => one.index === index) ?? {};
  return choices.map((value) => [value, about]);
}

function findFlags(commands: readonly Command[], word: string | undefined): Flag[] {
  return commands.flatMap(({ flags = [] }) => flags).filter(({ name }) => `--${name}` === word);
}

function spell(flag: Flag): Candidate {
  return [flag.isSwitch ? `--${flag.name}` : `--${flag.name}=`, flag.declaration.description];
}

/** Each word once, with the first text that describes it. */
function toLines(candidates: readonly Candidate[], start: string): string {
  const found = new Map<string, string>();
  for (const [word, about] of candidates) {
    if (word.startsWith(start)) found.set(word, found.get(word) || about);
  }
  return [...found].map(([word, about]) => `${word}\t${about}\n`).join("");
}
