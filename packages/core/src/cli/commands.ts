import type { PlatformParts } from "../app/platform.ts";
import { type Contract, toBody } from "../request/contract.ts";
import type { RouteInfo } from "../route/table.ts";
import { Dto, type Field } from "../schema/dto.ts";
import { findNearest } from "../support/nearest.ts";
import { type Pattern, parsePattern } from "../support/pattern.ts";
import { choicesOf, type Positional, toPositionals, toTitle } from "./positionals.ts";

/** The flags of every command. A field of a DTO with one of these names is given with `--stdin`. */
export const commonFlags = ["json", "stdin", "help"] as const;
export type CommonFlag = (typeof commonFlags)[number];
export const helpLetter = "h";

/** A flag that a DTO declares. */
export interface Flag {
  /** The name of the field, which `ctx.query()` and `bind()` use. */
  readonly field: string;
  /** As it is typed, without dashes: `author-id` for the field `author_id`. */
  readonly name: string;
  /** Whether it takes no value. */
  readonly isSwitch: boolean;
  /** The values that it allows; none when it allows any text. */
  readonly choices: readonly string[];
  readonly declaration: Field;
}

export interface Command {
  readonly pattern: Pattern;
  /** For people: `posts show <id>`. */
  readonly title: string;
  readonly positionals: readonly Positional[];
  /** What its contract declares; undefined without one. */
  readonly flags: readonly Flag[] | undefined;
  /** One line; "" without one. */
  readonly summary: string;
  readonly description: string;
}

export function isCommonFlag(name: string): name is CommonFlag {
  return (commonFlags as readonly string[]).includes(name);
}

export function flagsOf(commands: readonly Command[]): Flag[] {
  return commands.flatMap((command) => command.flags ?? []);
}

/** By the name of its field, or as it is typed. */
export function findFlag(flags: readonly Flag[], name: string): Flag | undefined {
  return flags.find((flag) => flag.field === name) ?? flags.find((flag) => flag.name === name);
}

export function toFlagName(field: string): string {
  const words = field.replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2");
  return words.replaceAll("_", "-").toLowerCase();
}

/** The route table as commands. */
export class Commands {
  readonly #parts: Pick<PlatformParts, "routes" | "router">;
  /** By their other names: the words of commands and groups. */
  readonly #aliases: ReadonlyMap<string, readonly string[]>;

  constructor(parts: Pick<PlatformParts, "routes" | "router">, aliases: Readonly<Record<string, string>> = {}) {
    this.#parts = parts;
    this.#aliases = new Map(Object.entries(aliases).map(([alias, name]) => [alias, name.split(" ")]));
  }

  /** The command that the router finds for these words. */
  find(words: readonly string[]): Command | undefined {
    const match = this.#parts.router.resolve(undefined, toPath(words));
    return match === undefined ? undefined : toCommand(match.route.pattern, match.route.contract);
  }

  /** With the first word instead of its alias. */
  expand(words: readonly string[]): readonly string[] {
    const meant = this.#aliases.get(words[0] ?? "");
    return meant === undefined ? words : [...meant, ...words.slice(1)];
  }

  /** The commands that begin with these words; all of them without words. */
  under(words?: readonly string[]): Command[] {
    return toCommands(this.#parts.routes.list(), words);
  }

  /** The command, group or alias whose name is closest to the typed one. */
  nearest(words: readonly string[]): string | undefined {
    const names = new Set([...this.under().flatMap(({ pattern }) => toPrefixes(pattern)), ...this.#aliases.keys()]);
    const byLength = Map.groupBy(names, (name) => name.split(" ").length);
    const closest = [...byLength].flatMap(([length, group]) => {
      const typed = words.slice(0, length).join(" ");
      return findNearest(typed, new Set(group).difference(new Set([typed]))) ?? [];
    });
    return closest.sort((a, b) => b.length - a.length)[0];
  }
}

/** Each word is one segment, also when it contains a slash. */
export function toPath(words: readonly string[]): string {
  return `/${words.map(encodeWord).join("/")}`;
}

export function encodeWord(word: string): string {
  return encodeURIComponent(word.toWellFormed());
}

/** The commands that begin with these words, by title. */
export function toCommands(routes: readonly RouteInfo[], words: readonly string[] = []): Command[] {
  return routes
    .map(({ path, contract }) => toCommand(parsePattern(path), contract))
    .filter(({ pattern }) => startsWithWords(pattern, words))
    .sort((a, b) => (a.title < b.title ? -1 : 1));
}

function toCommand(pattern: Pattern, contract: Contract | undefined): Command {
  const { summary = "", description = "" } = contract ?? {};
  const positionals = toPositionals(pattern, contract?.params);
  const title = toTitle(pattern, positionals);
  return { pattern, title, positionals, flags: toFlags(contract), summary, description };
}

/** Query and body are one set of flags. Undefined when a schema of another library hides its fields. */
function toFlags(contract: Contract | undefined): Flag[] | undefined {
  if (contract === undefined) return undefined;
  const { query, body } = contract;
  const schemas = [query, toBody(body)?.schema].filter((schema) => schema !== undefined);
  const fields: Record<string, Field> = {};
  for (const schema of schemas) {
    if (!(schema instanceof Dto)) return undefined;
    Object.assign(fields, schema.fields);
  }
  return Object.entries(fields).map(([field, declaration]) => ({
    field,
    name: toFlagName(field),
    isSwitch: declaration.textForm === "switch",
    choices: choicesOf(declaration),
    declaration,
  }));
}

function startsWithWords({ segments, wildcard }: Pattern, words: readonly string[]): boolean {
  if (words.length > segments.length && !wildcard) return false;
  return words.every((word, index) => index >= segments.length || (segments[index] ?? word) === word);
}

/** `posts/show/:id` → `posts`, `posts show`: parameters are not part of a name. */
function toPrefixes({ segments }: Pattern): string[] {
  const end = segments.indexOf(undefined);
  const words = end < 0 ? segments : segments.slice(0, end);
  return words.flatMap((word, index) => (word === "" ? [] : [words.slice(0, index + 1).join(" ")]));
}
