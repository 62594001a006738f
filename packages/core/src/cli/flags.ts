import type { Field } from "../dto/dto.ts";
import type { Problem } from "../errors.ts";
import type { Pattern } from "../pattern.ts";

/** Of every command: no field of a DTO may stand in their place. */
export const commonFlags = ["json", "stdin", "help"] as const;
export type CommonFlag = (typeof commonFlags)[number];
export const helpLetter = "h";

/** A flag that a DTO declares. */
export interface Flag {
  /** The name of the field: what `ctx.query()` and `bind()` know it by. */
  readonly field: string;
  /** As it is typed, without dashes: `author-id` for the field `author_id`. */
  readonly name: string;
  readonly declaration: Field;
}

export interface Command {
  readonly pattern: Pattern;
  /** For people: `posts show <id>`. */
  readonly title: string;
  /** What its DTO declares; undefined when nobody but its handler knows. */
  readonly flags: readonly Flag[] | undefined;
}

export function isSwitch(flag: Flag): boolean {
  return flag.declaration.kind === "boolean";
}

/** The flags of one command, or of all commands that may be meant. */
export class FlagSet {
  readonly all: readonly Flag[];

  constructor(commands: readonly Command[]) {
    this.all = commands.flatMap((command) => command.flags ?? []);
  }

  /** By its name, or by the name of its field. */
  find(name: string): Flag | undefined {
    return this.all.find((flag) => flag.field === name) ?? this.all.find((flag) => flag.name === name);
  }

  findLetter(letter: string): Flag | undefined {
    return this.all.find((flag) => flag.declaration.letter === letter);
  }
}

export function toFlagName(field: string): string {
  return field
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();
}

export function isCommonFlag(name: string): name is CommonFlag {
  return (commonFlags as readonly string[]).includes(name);
}

/** Fields that could never be given, because every command has a flag of that name. */
export function findTakenFlags(commands: readonly Command[]): Problem[] {
  return commands.flatMap(({ title, flags = [] }) =>
    flags.flatMap(({ name, declaration: { letter } }): Problem[] => {
      const taken = isCommonFlag(name) ? `--${name}` : letter === helpLetter ? `-${letter}` : undefined;
      if (taken === undefined) return [];
      const message = `command ${title} takes ${taken}, which is a flag of every command. Give the field of its DTO another name or letter.`;
      return [{ code: "BAD_ROUTE", message }];
    }),
  );
}
