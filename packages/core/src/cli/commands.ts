import { Dto } from "../dto/dto.ts";
import type { Schema } from "../dto/standard-schema.ts";
import { findNearest } from "../nearest.ts";
import { type Pattern, parsePattern } from "../pattern.ts";
import type { PlatformParts } from "../platform.ts";
import { type Command, toFlagName } from "./flags.ts";

/** The route table as somebody at a terminal sees it. */
export class Commands {
  readonly #parts: Pick<PlatformParts, "routes" | "router">;

  constructor(parts: Pick<PlatformParts, "routes" | "router">) {
    this.#parts = parts;
  }

  all(): Command[] {
    const commands = this.#parts.routes.list().map((route) => toCommand(parsePattern(route.path), route.takes));
    return commands.sort((a, b) => (a.title < b.title ? -1 : 1));
  }

  /** The command that the router finds for these words. */
  find(words: readonly string[]): Command | undefined {
    const match = this.#parts.router.resolve("", toPath(words));
    return match === undefined ? undefined : toCommand(match.route.pattern, match.route.takes);
  }

  /** The commands that begin with these words. */
  under(words: readonly string[]): Command[] {
    return this.all().filter(({ pattern }) => startsWith(pattern, words));
  }

  /** The command or group whose name is closest to what was typed. */
  nearest(words: readonly string[]): string | undefined {
    const names = new Set(this.all().flatMap(({ pattern }) => toPrefixes(pattern)));
    const byLength = Map.groupBy(names, (name) => name.split(" ").length);
    const closest = [...byLength].flatMap(([length, group]) => {
      const typed = words.slice(0, length).join(" ");
      return findNearest(typed, new Set(group).difference(new Set([typed]))) ?? [];
    });
    return closest.sort((a, b) => b.length - a.length)[0];
  }
}

/** Each word is one segment, whatever it contains. */
export function toPath(words: readonly string[]): string {
  return `/${words.map((word) => encodeURIComponent(word.toWellFormed())).join("/")}`;
}

/** A pattern for people, from this word on: `posts show <id>`, `<…>` for one word or more. */
export function toTitle({ segments, params, wildcard }: Pattern, from = 0): string {
  const names = new Map(params.map(({ name, index }) => [index, `<${name}>`]));
  const words = segments.map((segment, index) => segment ?? names.get(index));
  return [...words.slice(from), ...(wildcard ? ["<…>"] : [])].join(" ");
}

function toCommand(pattern: Pattern, takes: Schema | undefined): Command {
  const flags =
    takes instanceof Dto
      ? Object.entries(takes.fields).map(([field, declaration]) => ({ field, name: toFlagName(field), declaration }))
      : undefined;
  return { pattern, title: toTitle(pattern), flags };
}

function startsWith({ segments, wildcard }: Pattern, words: readonly string[]): boolean {
  if (words.length > segments.length && !wildcard) return false;
  return words.every((word, index) => index >= segments.length || (segments[index] ?? word) === word);
}

/** `posts/show/:id` → `posts`, `posts show`: a parameter is no part of a name. */
function toPrefixes({ segments }: Pattern): string[] {
  const end = segments.indexOf(undefined);
  const words = end < 0 ? segments : segments.slice(0, end);
  return words.flatMap((word, index) => (word === "" ? [] : [words.slice(0, index + 1).join(" ")]));
}
