import type { SecurityScheme } from "../request/contract.ts";
import { Dto } from "../schema/dto.ts";
import { Field } from "../schema/field.ts";
import { type Direction, type JsonSchema, type NamedSchema, type Refer, toJsonSchema } from "../schema/json-schema.ts";
import type { Schema } from "../schema/standard-schema.ts";

const prefix = "#/components/schemas/";
const values = new Set(["const", "enum", "default", "examples"]); // keywords that hold values, not schemas

/** A schema inside a schema of another library or of the error format, with the name that it was given there. */
interface Definition {
  readonly wanted: string;
  readonly written: JsonSchema;
}

/**
 * The schemas and security schemes that operations refer to. A reference is a placeholder until all operations are
 * written: only then is it known whether a DTO needs two components, one for requests and one for responses.
 */
export class Components {
  /** DTOs with a name, as they are written in the directions in which they are used. */
  readonly #known = new Map<NamedSchema, Map<Direction, JsonSchema>>();
  readonly #foreign = new Map<Schema, Map<Direction, JsonSchema>>();
  readonly #hoisted = new Map<string, Definition>();
  readonly #titled = new Map<string, string>();
  readonly #schemes = new Map<string, SecurityScheme>();
  #count = 0;

  addScheme(name: string, scheme: SecurityScheme): void {
    this.#schemes.set(name, scheme);
  }

  /** A schema where a reference may be. */
  toSchema(schema: Schema, direction: Direction): JsonSchema {
    if (schema instanceof Dto || schema instanceof Field) return toJsonSchema(schema, direction, this.#refer);
    return this.#toForeign(schema, direction);
  }

  /** A schema in which each part that has a title is a component of that name. Equal parts share one. */
  addTitled<T>(written: T): T | JsonSchema {
    if (typeof written !== "object" || written === null) return written;
    if (Array.isArray(written)) return written.map((item: unknown) => this.addTitled(item)) as T; // item by item the same
    const parts = Object.entries(written).map(
      ([key, part]: [string, unknown]) => [key, values.has(key) ? part : this.addTitled(part)] as const,
    );
    const { title, ...schema } = Object.fromEntries(parts);
    if (typeof title !== "string") return Object.fromEntries(parts) as T; // key by key the same
    const key = JSON.stringify([title, schema]);
    const placeholder = this.#titled.get(key) ?? `tenon:titled:${this.#titled.size}`;
    this.#titled.set(key, placeholder);
    this.#hoisted.set(placeholder, { wanted: title, written: schema });
    return { $ref: placeholder };
  }

  /** The members of an object, of which parameters are made: never a reference. */
  toObject(schema: Schema, direction: Direction): JsonSchema {
    if (schema instanceof Dto) return schema.toObjectSchema(direction, this.#refer);
    const written = this.toSchema(schema, direction);
    return this.#hoisted.get(String(written.$ref))?.written ?? written;
  }

  readonly #refer: Refer = (dto, direction) => {
    const written = this.#known.get(dto) ?? new Map<Direction, JsonSchema>();
    if (!written.has(direction)) written.set(direction, dto.toObjectSchema(direction, this.#refer));
    this.#known.set(dto, written); // after the DTOs inside of it, see `write`
    return { $ref: `tenon:${direction}:${dto.name}` };
  };

  /** References of other libraries are relative to their schema, not to this document: what they name moves out of it. */
  #toForeign(schema: Schema, direction: Direction): JsonSchema {
    const byDirection = this.#foreign.get(schema) ?? new Map<Direction, JsonSchema>();
    this.#foreign.set(schema, byDirection);
    const known = byDirection.get(direction);
    if (known !== undefined) return known;
    const { $defs, ...root } = toJsonSchema(schema, direction);
    const definitions = new Map(Object.entries(($defs ?? {}) as Record<string, JsonSchema>).map(toPlace)); // as JSON Schema says
    const isRecursive = JSON.stringify([root, $defs]).includes('"$ref":"#"');
    if (isRecursive) definitions.set("#", { wanted: String(root.title ?? "Schema"), written: root });
    const places = new Map([...definitions.keys()].map((place) => [place, `tenon:foreign:${++this.#count}`]));
    const rename = (reference: string) => places.get(reference) ?? reference;
    for (const [place, { wanted, written }] of definitions) {
      this.#hoisted.set(rename(place), { wanted, written: withReferences(written, rename) });
    }
    const result = isRecursive ? { $ref: rename("#") } : withReferences(root, rename);
    byDirection.set(direction, result);
    return result;
  }

  /** The components, and a function that writes the names into what refers to them. */
  finish(): { readonly components: JsonSchema; readonly resolve: <T>(written: T) => T } {
    const names = this.#toNames();
    const resolve = <T>(written: T): T => withReferences(written, (reference) => names.get(reference) ?? reference);
    const schemas = new Map<string, JsonSchema>();
    const add = (placeholder: string, written: JsonSchema) =>
      schemas.set(resolve({ $ref: placeholder }).$ref.slice(prefix.length), resolve(written));
    for (const [dto, written] of this.#known) {
      for (const [direction, schema] of written) add(`tenon:${direction}:${dto.name}`, schema);
    }
    for (const [placeholder, { written }] of this.#hoisted) add(placeholder, written);
    const sorted = [...schemas].sort(([a], [b]) => (a < b ? -1 : 1));
    const components = {
      ...(this.#schemes.size === 0 ? {} : { securitySchemes: Object.fromEntries(this.#schemes) }),
      ...(sorted.length === 0 ? {} : { schemas: Object.fromEntries(sorted) }),
    };
    return { components, resolve };
  }

  /**
   * References by placeholder. A DTO comes after those inside of it, whose names decide whether its two forms differ. A
   * name that several schemas want is followed by a digest of each: it does not depend on the order of the routes.
   */
  #toNames(): Map<string, string> {
    const names = new Map<string, string>();
    const nameOf = (reference: string) => names.get(reference) as string; // those inside of a DTO come before it
    const taken = new Set([...this.#known.keys()].map(({ name }) => name));
    for (const [dto, written] of this.#known) {
      const [input, output] = (["input", "output"] as const).map((direction) => {
        const schema = written.get(direction);
        return schema === undefined ? undefined : JSON.stringify(withReferences(schema, nameOf));
      });
      const differs = input !== undefined && output !== undefined && input !== output;
      const own = `${dto.name}Input`;
      const name = !differs ? dto.name : taken.has(own) ? `${own}_${digestOf(input)}` : own;
      names.set(`tenon:output:${dto.name}`, prefix + dto.name);
      names.set(`tenon:input:${dto.name}`, prefix + name);
    }
    for (const name of names.values()) taken.add(name.slice(prefix.length));
    const toWanted = (reference: string) => this.#hoisted.get(reference)?.wanted ?? reference;
    const hoisted = [...this.#hoisted].map(([placeholder, { wanted, written }]) => ({
      placeholder,
      name: wanted.replaceAll(/[^A-Za-z0-9_.-]/g, "") || "Schema",
      digest: digestOf(withReferences(written, toWanted)),
    }));
    for (const [name, same] of Map.groupBy(hoisted, (one) => one.name)) {
      const isShared = taken.has(name) || new Set(same.map(({ digest }) => digest)).size > 1;
      for (const { placeholder, digest } of same) {
        names.set(placeholder, `${prefix}${name}${isShared ? `_${digest}` : ""}`);
      }
    }
    return names;
  }
}

/** A few characters that differ for other content (FNV-1a, 32 bits). */
export function digestOf(content: unknown): string {
  let hash = 0x811c9dc5;
  for (const character of JSON.stringify(content)) {
    hash = Math.imul(hash ^ Number(character.codePointAt(0)), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}

/** With the reference that names it, in which `~` and `/` are escaped (RFC 6901). */
function toPlace([name, written]: [string, JsonSchema]): [string, Definition] {
  return [`#/$defs/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, { wanted: name, written }];
}

/** A copy in which every `$ref` is renamed. */
function withReferences<T>(value: T, rename: (reference: string) => string): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => withReferences(item, rename)) as T; // item by item the same
  const copy = Object.entries(value).map(([key, item]: [string, unknown]) =>
    key === "$ref" && typeof item === "string" ? [key, rename(item)] : [key, withReferences(item, rename)],
  );
  return Object.fromEntries(copy) as T; // key by key the same
}
