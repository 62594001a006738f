import { Dto, type Fields, isObject, type ObjectOf, type ReturnedObjectOf } from "./dto.ts";
import { Field, type Kind, type ReadOptions, type Select } from "./field.ts";
import { addKey, type FoundIssue, maxIssues, report } from "./found-issue.ts";
import type { IsPresent, NullOf } from "./infer.ts";
import { bounds, reportUnstorable, toList } from "./scalars.ts";
import { type Grammar, type ListTag, type PlainTag, plainTags, type RecordTag } from "./tags.ts";

/** What a list or a record holds: a field, or a DTO for objects. */
type Item = Field | Dto;

const items = bounds((value) => (value as unknown[]).length, ["minItems", "maxItems"], "items");
const entries = bounds((value) => Object.keys(value as object).length, ["minProperties", "maxProperties"], "entries");
export const listTags: Grammar = { ...plainTags, rules: items };
export const recordTags: Grammar = { ...plainTags, rules: { min: entries.min, max: entries.max } };

/** `array(string())`, `array(Post)`. */
export function array<const I extends Item, const Tags extends readonly ListTag[]>(
  item: I,
  ...tags: Tags
): Field<I["output"][] | NullOf<Tags>, IsPresent<Tags>, readonly I["returned"][] | NullOf<Tags>> {
  const field = toField(item);
  const kind: Kind<I["output"][] | NullOf<Tags>> = {
    name: "array",
    grammar: listTags,
    textForm: "list",
    read: (input, issues, options) => {
      const list = toList(input, options);
      if (Array.isArray(list)) return readItems(field, list, issues, options);
      report(issues, "array", "must be a list");
      return [];
    },
    compileSelect: () => {
      const select = field.compileSelect();
      return (value) => (Array.isArray(value) ? selectItems(value, select) : undefined);
    },
    toSchema: (direction, refer) => ({ type: "array", items: field.toSchema(direction, refer) }),
  };
  return new Field(kind, tags);
}

function readItems<T>(item: Field<T>, list: readonly unknown[], issues: FoundIssue[], options: ReadOptions): T[] {
  const items: T[] = [];
  for (const [index, entry] of list.entries()) {
    if (issues.length >= maxIssues) break;
    if (item.isLeftEmpty(entry, options)) continue;
    const start = issues.length;
    items.push(item.parse(entry, issues, options));
    if (issues.length > start) addKey(index, issues, start);
  }
  return items;
}

/** The list itself when none of its items changes. */
function selectItems(list: readonly unknown[], select: Select): readonly unknown[] {
  let items: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const value = list[index];
    const item = value === undefined || value === null ? null : (select(value) ?? null);
    if (items === undefined && item !== value) items = list.slice(0, index);
    if (items !== undefined) items.push(item);
  }
  return items ?? list;
}

/** An object with any keys: `record(integer())`. */
export function record<const I extends Item, const Tags extends readonly RecordTag[]>(
  item: I,
  ...tags: Tags
): Field<
  Record<string, I["output"]> | NullOf<Tags>,
  IsPresent<Tags>,
  Readonly<Record<string, I["returned"]>> | NullOf<Tags>
> {
  const field = toField(item);
  const kind: Kind<Record<string, I["output"]> | NullOf<Tags>> = {
    name: "record",
    grammar: recordTags,
    textForm: "none",
    read: (input, issues, options) => {
      if (isObject(input)) return readEntries(field, input, issues, options);
      report(issues, "object", "must be an object");
      return {};
    },
    compileSelect: () => {
      const select = field.compileSelect();
      return (value) => (isObject(value) ? selectEntries(value, select, field.keepsNull) : undefined);
    },
    toSchema: (direction, refer) => ({ type: "object", additionalProperties: field.toSchema(direction, refer) }),
  };
  return new Field(kind, tags);
}

function readEntries<T>(item: Field<T>, input: object, issues: FoundIssue[], options: ReadOptions): Record<string, T> {
  const entries: Record<string, T> = {};
  for (const [key, value] of Object.entries(input)) {
    if (issues.length >= maxIssues) break;
    if (key === "__proto__" || isLeftOut(value, item, options)) continue;
    const start = issues.length;
    reportUnstorable(key, issues);
    entries[key] = item.parse(value, issues, options);
    if (issues.length > start) addKey(key, issues, start);
  }
  return entries;
}

/** JSON has no undefined: an entry that a handler returns as such is not sent. */
function isLeftOut(value: unknown, item: Field, options: ReadOptions): boolean {
  return value === undefined ? options.returned === true : item.isLeftEmpty(value, options);
}

function selectEntries(value: object, select: Select, keepsNull: boolean): Record<string, unknown> {
  const entries: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    if (key === "__proto__") continue;
    const given = (value as Record<string, unknown>)[key];
    const chosen = given === undefined || given === null ? (keepsNull ? given : undefined) : select(given);
    if (chosen !== undefined) entries[key] = chosen;
  }
  return entries;
}

/** An object inside of an object: `nested(Author, "required")`. */
export function nested<F extends Fields, const Tags extends readonly PlainTag[]>(
  inner: Dto<F>,
  ...tags: Tags
): Field<ObjectOf<F> | NullOf<Tags>, IsPresent<Tags>, ReturnedObjectOf<F> | NullOf<Tags>> {
  const kind: Kind<ObjectOf<F> | NullOf<Tags>> = {
    name: "object",
    grammar: plainTags,
    textForm: "none",
    read: (input, issues, options) => inner.parse(input, issues, options),
    compileSelect: () => inner.compileSelect(),
    toSchema: (direction, refer) => inner.toSchema(direction, refer),
  };
  return new Field(kind, tags);
}

function toField(item: Item): Field {
  return item instanceof Dto ? nested(item) : item;
}
