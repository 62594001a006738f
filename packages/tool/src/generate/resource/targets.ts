import * as babel from "@babel/types";
import { HttpError } from "@tenon/core";
import { toModuleNames, toPascal, toTable } from "../../names.ts";
import { readIfPresent } from "../application.ts";
import { endOf, isNamed, startOf, toKey } from "../edit/edit-source.ts";
import { parseNodes } from "../edit/parse-nodes.ts";
import { type Field, targetsOf } from "./fields.ts";

/** The type of a primary key. A ref cannot have a number. */
export type IdType = "uuid" | "text" | "number";

/** The id of every row that tests refer to, and one that no row has. */
export const sampleId = "8d0e0c4e-57b1-4b0c-9d2f-3f6f3f1f0a01";
export const otherId = "c2a4b6d8-0e1f-4a3b-8c5d-7e9f1a2b3c02";

/** A resource that a ref refers to. */
export interface Target {
  readonly plural: string;
  readonly table: string;
  readonly idType: IdType;
  /** A value for each column that must have one. */
  readonly samples: ReadonlyMap<string, string>;
  /** Whether its rows are private to their users: `tenon g resource --owner`. */
  readonly isOwned: boolean;
  /** The column that forms show; undefined when none looks like a name, and where rows are private. */
  readonly label: string | undefined;
  /** Whether it has a page to link. */
  readonly hasPage: boolean;
  /** Whether it has routes of its own, as every resource of an API has. */
  readonly hasController: boolean;
  /** The columns that must refer to a row of another table: `author_id` to `authors`. */
  readonly references: ReadonlyMap<string, Target>;
}

/** The resources that fields refer to, by their plural, and with a guard the users. Throws when one does not exist. */
export function readTargets(folder: string, fields: readonly Field[], isGuarded = false): ReadonlyMap<string, Target> {
  const plurals = new Set([...targetsOf(fields), ...(isGuarded ? ["users"] : [])]);
  const targets = new Map([...plurals].map((plural) => [plural, readTarget(folder, plural)]));
  const field = fields.find(({ target = "" }) => targets.get(target)?.idType === "number");
  if (field === undefined) return targets;
  const cure = `write --fields=${field.name}:integer, and the foreign key in the migration`;
  throw new HttpError(
    409,
    `the ids of ${field.target} are numbers, which a ref cannot have: ${cure}; nothing was changed`,
  );
}

/** `above` are the tables that refer to this one: one that refers to itself is not followed. */
function readTarget(folder: string, plural: string, above: readonly string[] = []): Target {
  const file = `src/${plural}/${plural}.dto.ts`;
  const type = toPascal(toModuleNames(plural).singular);
  const declared = readDto(readIfPresent(folder, file) ?? "", type);
  if (declared === undefined) {
    throw new HttpError(
      404,
      `there is no resource ${plural} to refer to: ${file} exports no DTO ${type}; generate it first`,
    );
  }
  const isOwned = readIfPresent(folder, `src/${plural}/${plural}.owner.ts`) !== undefined;
  const needed = [...declared.columns].filter(([, column]) => !column.isOptional);
  return {
    plural,
    table: toTable(plural),
    idType: /^(?:integer|number)$/.test(declared.columns.get("id")?.kind ?? "") ? "number" : readIdType(folder, plural),
    samples: new Map(needed.map(([name, column]) => [name, toSample(column)])),
    isOwned,
    label: isOwned ? undefined : findLabel(declared), // forms and pages would show the rows of other users
    hasPage: readIfPresent(folder, `views/${plural}/show.eta`) !== undefined,
    hasController: readIfPresent(folder, `src/${plural}/${plural}.controller.ts`) !== undefined,
    references: readReferences(folder, plural, [...above, plural]),
  };
}

interface Column {
  /** The function that declares it: `string`. */
  readonly kind: string;
  readonly tags: readonly string[];
  readonly isOptional: boolean;
}

interface DeclaredDto {
  readonly columns: ReadonlyMap<string, Column>;
  /** Columns that clients do not see: those of `User` in `export const User = StoredUser.omit("password")`. */
  readonly hidden: ReadonlySet<string>;
}

/** Undefined where the source does not declare the DTO, or derives it in another way than with `omit()` and `extend()`. */
function readDto(source: string, name: string): DeclaredDto | undefined {
  const nodes = parseNodes(source) ?? [];
  const hidden = new Set<string>();
  const added: babel.ObjectExpression["properties"] = [];
  const toFields = (node: babel.Node | null | undefined): babel.ObjectExpression | undefined => {
    if (babel.isIdentifier(node)) return toFields(findInit(nodes, node.name));
    if (!babel.isCallExpression(node)) return undefined;
    if (isNamed(node.callee, "dto")) return node.arguments.find((argument) => babel.isObjectExpression(argument));
    if (!babel.isMemberExpression(node.callee)) return undefined;
    const [extension] = node.arguments;
    if (isNamed(node.callee.property, "omit")) for (const text of textsOf(node)) hidden.add(text);
    else if (isNamed(node.callee.property, "extend") && babel.isObjectExpression(extension)) {
      added.push(...extension.properties);
    } else if (!isNamed(node.callee.property, "named")) return undefined;
    return toFields(node.callee.object);
  };
  const fields = toFields(findInit(nodes, name));
  if (fields === undefined) return undefined;
  // what extends a view of a stored DTO is not in the table
  const stored = hidden.size === 0 ? [...fields.properties, ...added] : fields.properties;
  const columns = stored.flatMap((property): [string, Column][] => {
    const key = toKey(property);
    return babel.isObjectProperty(property) && key !== undefined ? [[key, toColumn(property.value)]] : [];
  });
  return { columns: new Map(columns), hidden };
}

function findInit(nodes: readonly babel.Node[], name: string): babel.Expression | null | undefined {
  return nodes.filter((node) => babel.isVariableDeclarator(node)).find(({ id }) => isNamed(id, name))?.init;
}

/** `string("required").describe("…")` is a `string` too. */
function toColumn(node: babel.Node): Column {
  if (babel.isCallExpression(node) && babel.isMemberExpression(node.callee)) return toColumn(node.callee.object);
  const tags = babel.isCallExpression(node) ? textsOf(node) : [];
  const kind = babel.isCallExpression(node) && babel.isIdentifier(node.callee) ? node.callee.name : "";
  return { kind, tags, isOptional: !tags.some((tag) => tag === "required" || tag.startsWith("default=")) };
}

function textsOf(node: babel.CallExpression): string[] {
  return node.arguments.flatMap((argument) => (babel.isStringLiteral(argument) ? argument.value : []));
}

/** The first text that is not an id, a number, a choice, a time or private: pages show it to everybody. */
function findLabel({ columns, hidden }: DeclaredDto): string | undefined {
  const isName = (name: string) => !/^(?:id|password|role)$|(?:^|_)(?:e_?)?mail(?:_|$)|_(?:id|at|on)$/.test(name);
  const isOther = /^(?:uuid$|decimal$|oneof=)/;
  return [...columns].find(
    ([name, { kind, tags, isOptional }]) =>
      kind === "string" && !isOptional && isName(name) && !hidden.has(name) && !tags.some((tag) => isOther.test(tag)),
  )?.[0];
}

/** A foreign key has the type of the key that it refers to. */
function readIdType(folder: string, plural: string): IdType {
  const nodes = parseNodes(readIfPresent(folder, toMigrations(plural)) ?? "") ?? [];
  const isId = nodes.some((node) => {
    const [name, type] = argumentsOf(node, "addColumn") ?? [];
    return babel.isStringLiteral(name, { value: "id" }) && babel.isStringLiteral(type, { value: "uuid" });
  });
  return isId ? "uuid" : "text";
}

function toMigrations(plural: string): string {
  return `src/${plural}/${plural}.migrations.ts`;
}

/** Rows of these tables must exist before a row of this one. */
function readReferences(folder: string, plural: string, above: readonly string[]): ReadonlyMap<string, Target> {
  const nodes = parseNodes(readIfPresent(folder, toMigrations(plural)) ?? "") ?? [];
  return new Map(
    nodes.flatMap((node): [string, Target][] => {
      const [name, , options] = argumentsOf(node, "addColumn") ?? [];
      if (!babel.isStringLiteral(name) || options === undefined) return [];
      const inside = nodes.filter((one) => startOf(one) >= startOf(options) && endOf(one) <= endOf(options));
      const isRequired = inside.some((one) => argumentsOf(one, "notNull") !== undefined);
      const place = inside
        .flatMap((one) => argumentsOf(one, "references") ?? [])
        .find((one) => babel.isStringLiteral(one));
      const target = /^(\w+)\.id$/.exec(place?.value ?? "")?.[1]?.replaceAll("_", "-");
      if (!isRequired || target === undefined || above.includes(target)) return [];
      return [[name.value, readTarget(folder, target, above)]];
    }),
  );
}

/** The arguments of `anything.method(…)`; undefined for any other node. */
function argumentsOf(node: babel.Node, method: string): babel.CallExpression["arguments"] | undefined {
  if (!babel.isCallExpression(node) || !babel.isMemberExpression(node.callee)) return undefined;
  return isNamed(node.callee.property, method) ? node.arguments : undefined;
}

/** The rows that the tests of a resource refer to, one for each table, those that others refer to first. */
export function toReferencedRows(targets: ReadonlyMap<string, Target>): { table: string; values: string }[] {
  const rows = new Map([...targets.values()].flatMap(toRows));
  return [...rows].map(([table, values]) => ({ table, values }));
}

function toRows({ table, samples, references }: Target): [table: string, values: string][] {
  const values = [...samples].map(
    ([name, sample]) => `${name}: ${name === "id" || references.has(name) ? `"${sampleId}"` : sample}`,
  );
  return [...[...references.values()].flatMap(toRows), [table, values.join(", ")]];
}

function toSample({ kind, tags }: Column): string {
  if (kind === "boolean") return "true";
  if (kind === "integer" || kind === "number") return "1";
  if (kind === "timestamp") return '"2026-01-01T00:00:00.000Z"';
  if (kind === "date") return '"2026-01-01"';
  if (kind === "json") return '"{}"'; // as text: the row is inserted without toRow()
  if (tags.includes("uuid")) return `"${sampleId}"`;
  if (tags.includes("decimal")) return '"1.50"';
  const word = tags
    .find((tag) => tag.startsWith("oneof="))
    ?.slice("oneof=".length)
    .split(" ")[0];
  return `"${word ?? "Sample"}"`;
}
