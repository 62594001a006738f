import { isIdentifier, isTSInterfaceDeclaration, isTSPropertySignature } from "@babel/types";
import { HttpError } from "@tenon/core";
import { toModuleNames, toPascal } from "../names.ts";
import { readIfPresent } from "./application.ts";
import { type Field, targetsOf } from "./fields.ts";
import { parseNodes } from "./parse-nodes.ts";

/** A resource that a ref refers to. */
export interface Target {
  readonly plural: string;
  readonly table: string;
  /** The columns by name, with their TypeScript types. */
  readonly columns: ReadonlyMap<string, string>;
  /** The column that forms show; undefined when none looks like a name. */
  readonly label: string | undefined;
  /** Whether it has a page to link. */
  readonly hasPage: boolean;
  /** The columns that must refer to a row of another table: `author_id` to `authors`. */
  readonly references: ReadonlyMap<string, Target>;
}

/** The resources that fields refer to, by their plural. Throws when one does not exist. */
export function readTargets(folder: string, fields: readonly Field[]): ReadonlyMap<string, Target> {
  return new Map(targetsOf(fields).map((plural) => [plural, readTarget(folder, plural)]));
}

/** `above` are the tables that refer to this one: one that refers to itself is not followed. */
function readTarget(folder: string, plural: string, above: readonly string[] = []): Target {
  const file = `src/${plural}/${plural}.record.ts`;
  const type = toPascal(toModuleNames(plural).singular);
  const columns = readColumns(readIfPresent(folder, file) ?? "", type);
  if (columns === undefined) {
    throw new HttpError(
      404,
      `there is no resource ${plural} to refer to: ${file} exports no interface ${type}; generate it first`,
    );
  }
  return {
    plural,
    table: plural.replaceAll("-", "_"),
    columns,
    label: findLabel(columns),
    hasPage: readIfPresent(folder, `views/${plural}/show.eta`) !== undefined,
    references: readReferences(folder, plural, [...above, plural]),
  };
}

function readColumns(source: string, type: string): ReadonlyMap<string, string> | undefined {
  const declared = (parseNodes(source) ?? []).find(
    (node) => isTSInterfaceDeclaration(node) && isIdentifier(node.id, { name: type }),
  );
  if (!isTSInterfaceDeclaration(declared)) return undefined;
  return new Map(
    declared.body.body.flatMap((member): [string, string][] => {
      if (!isTSPropertySignature(member) || !isIdentifier(member.key)) return [];
      const { start, end } = member.typeAnnotation?.typeAnnotation ?? {};
      return [[member.key.name, source.slice(start ?? 0, end ?? 0)]];
    }),
  );
}

/** The first text that is not an id, a time or a secret. */
function findLabel(columns: ReadonlyMap<string, string>): string | undefined {
  const isName = (name: string) => !/^(?:id|password)$|_(?:id|at|on)$/.test(name);
  return [...columns].find(([name, type]) => type === "string" && isName(name))?.[0];
}

/** Rows of these tables must exist before a row of this one. */
function readReferences(folder: string, plural: string, above: readonly string[]): ReadonlyMap<string, Target> {
  const source = readIfPresent(folder, `src/${plural}/${plural}.migrations.ts`) ?? "";
  const pattern = /"(\w+)","text",\(column\)=>column\.notNull\(\)\.references\("(\w+)\.id"\)/g;
  const found = [...source.replaceAll(/\s/g, "").matchAll(pattern)];
  return new Map(
    found.flatMap(([, name = "", table = ""]): [string, Target][] => {
      const target = table.replaceAll("_", "-");
      return above.includes(target) ? [] : [[name, readTarget(folder, target, above)]];
    }),
  );
}
