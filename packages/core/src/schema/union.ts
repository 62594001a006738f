import { type Dto, isObject } from "./dto.ts";
import { Field, type Kind, type ReadOptions, type Refer } from "./field.ts";
import { type FoundIssue, report } from "./found-issue.ts";
import type { IsPresent, NullOf } from "./infer.ts";
import type { Direction, JsonSchema } from "./standard-schema.ts";
import { type PlainTag, plainTags } from "./tags.ts";

type Variants = Readonly<Record<string, Dto>>;
type Simplify<T> = { [K in keyof T]: T[K] };
type Tagged<Tag extends string, V extends Variants, Side extends "output" | "returned"> = {
  [K in keyof V & string]: Simplify<{ [Name in Tag]: K } & V[K][Side]>;
}[keyof V & string];

/** Objects that are distinguished by a property: `union("kind", { circle: dto({ … }), square: dto({ … }) })`. */
export function union<const Tag extends string, const V extends Variants, const Tags extends readonly PlainTag[]>(
  tag: Tag,
  variants: V,
  ...tags: Tags
): Field<Tagged<Tag, V, "output"> | NullOf<Tags>, IsPresent<Tags>, Tagged<Tag, V, "returned"> | NullOf<Tags>> {
  const known = new Map(Object.entries(variants));
  for (const [name, { fields }] of known) {
    if (Object.hasOwn(fields, tag))
      throw new TypeError(`the variant "${name}" declares "${tag}", which the union adds`);
  }
  const kind: Kind<Tagged<Tag, V, "output"> | NullOf<Tags>> = {
    name: "union",
    grammar: plainTags,
    textForm: "none",
    read: (input, issues, options) => readVariant(tag, known, input, issues, options) as Tagged<Tag, V, "output">, // read by the variant's own rules
    compileSelect: () => {
      const members = new Map([...known].map(([name, variant]) => [name, variant.compileMembers()]));
      return (value) => {
        const name = typeof value === "object" ? (value as Record<string, unknown>)[tag] : undefined;
        const variant = typeof name === "string" ? members.get(name) : undefined;
        return variant?.fill({ [tag]: name }, value as object); // an object: it has a tag
      };
    },
    toSchema: (direction, refer) => ({
      oneOf: [...known].map(([name, variant]) => toVariantSchema(tag, name, variant, direction, refer)),
    }),
  };
  return new Field(kind, tags);
}

function readVariant(
  tag: string,
  known: ReadonlyMap<string, Dto>,
  input: unknown,
  issues: FoundIssue[],
  options: ReadOptions,
): unknown {
  if (!isObject(input)) return report(issues, "object", "must be an object");
  const given = options.returned === true || Object.hasOwn(input, tag) ? input[tag] : undefined;
  const variant = typeof given === "string" ? known.get(given) : undefined;
  if (variant !== undefined) return Object.assign({ [tag]: given }, variant.parse(input, issues, options, tag));
  const absent = given === undefined || given === null || given === "";
  const message = absent ? "is required" : `must be one of ${[...known.keys()].join(", ")}`;
  issues.push({ keys: [tag], rule: absent ? "required" : "oneof", message });
  return undefined;
}

function toVariantSchema(tag: string, name: string, variant: Dto, direction: Direction, refer?: Refer): JsonSchema {
  const property = { [tag]: { type: "string", const: name } };
  // a strict one would refuse the tag
  const referred = variant.name === "" || variant.isStrict ? undefined : refer?.(variant, direction);
  if (referred === undefined) return variant.toObjectSchema(direction, refer, property);
  return { allOf: [referred, { type: "object", properties: property, required: [tag] }] };
}
