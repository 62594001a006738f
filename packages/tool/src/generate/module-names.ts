import { globSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { BindError, HttpError } from "@tenon/core";
import { type ModuleNames, toModuleNames, validateModuleName } from "../names.ts";
import { hasPlural } from "../plural.ts";
import type { HandlerKind } from "./handler-kinds.ts";

export interface NameFlags {
  readonly name: string;
  /** The plural, when the rules do not give the right one; the name itself for a module that is not a resource. */
  readonly plural?: string | undefined;
  /** Takes the plural that the rules give, whatever it is. */
  readonly yes?: boolean | undefined;
}

/** The names of a new module. Throws when they are refused, or when the plural has to be confirmed. */
export function resolveModuleNames({ name, plural, yes = false }: NameFlags): ModuleNames {
  const names = toModuleNames(name, plural);
  const reason = validateModuleName(name, plural);
  if (reason !== undefined) throw toBindError(plural === undefined || plural === name ? "name" : "plural", reason);
  if (plural === undefined && !yes && isDoubtful(name)) {
    throw toBindError(
      "name",
      `has no usual plural: confirm ${names.plural} with --yes, or give one with --plural=${name}`,
    );
  }
  return names;
}

export function isDoubtful(name: string): boolean {
  return !hasPlural(name.slice(name.lastIndexOf("-") + 1));
}

/** Refuses a name whose classes would have the names of another module's: `item-3` and `item3` are both Item3. */
export function checkCollisions(folder: string, { plural }: ModuleNames): void {
  const same = toComparable(plural);
  const entries = readdirSync(join(folder, "src"), { withFileTypes: true });
  const other = entries.find(
    (entry) => entry.isDirectory() && entry.name !== plural && toComparable(entry.name) === same,
  );
  if (other === undefined) return;
  throw new HttpError(409, `${plural} and src/${other.name} would have the same class names: nothing was changed`);
}

/** Refuses a name whose path the application serves already. */
export function checkPath(name: string, kinds: ReadonlySet<HandlerKind>): void {
  const taken =
    name === "docs" && kinds.has("routes")
      ? "docs page"
      : name === "assets" && kinds.has("pages")
        ? "assets of pages"
        : undefined;
  if (taken !== undefined) throw new HttpError(409, `/${name} is the path of the ${taken}: nothing was changed`);
}

/** Refuses a name whose class would have the name of another one in the same folder, such as `src/posts`. */
export function checkPartCollisions(folder: string, place: string, name: string, role: string): void {
  const names = globSync(`*.${role}.ts`, { cwd: join(folder, place) }).map((file) => file.slice(0, file.indexOf(".")));
  const other = names.find((one) => one !== name && toComparable(one) === toComparable(name));
  if (other === undefined) return;
  throw new HttpError(
    409,
    `${name} and ${place}/${other}.${role}.ts would have the same class name: nothing was changed`,
  );
}

function toComparable(name: string): string {
  return name.replaceAll("-", "").toLowerCase();
}

function toBindError(path: string, message: string): BindError {
  return new BindError([{ path, rule: "name", message }]);
}
