import { type Arbitraries, typesOf } from "../arbitrary.ts";
import type { Operation } from "../operation.ts";
import type { Actor } from "./actors.ts";
import { findPlaces, isCursor, isLimit, type Place, replaceAt } from "./places.ts";
import { around, type FuzzedObject, type Prepared } from "./step.ts";
import { Values } from "./values.ts";
import { userKind, type World } from "./world.ts";

export interface Choice {
  /** The object that the request is about: its ids, and those of the objects around it. */
  readonly focus?: FuzzedObject | undefined;
  /** Values of places that are given. */
  readonly replaced?: ReadonlyMap<Place, unknown>;
  readonly attempt?: number;
  readonly marker?: string;
  /** Which of the enumerated values and booleans. Defaults to others than those of the focus. */
  readonly turn?: number;
}

/** Builds valid requests of an actor, with its own ids. */
export class RequestBuilder {
  readonly #arbitraries: Arbitraries;
  readonly #world: World;
  readonly #random: () => number;
  readonly #places = new Map<string, readonly Place[]>();
  /** By operation: the way of filling a body that was accepted. */
  readonly accepted = new Map<string, number>();

  constructor(arbitraries: Arbitraries, world: World, random: () => number) {
    this.#arbitraries = arbitraries;
    this.#world = world;
    this.#random = random;
  }

  placesOf(operation: Operation): readonly Place[] {
    const places = this.#places.get(operation.id) ?? findPlaces(operation, this.#arbitraries);
    this.#places.set(operation.id, places);
    return places;
  }

  /** Ten characters that appear nowhere else. */
  createMarker(): string {
    return `z${Math.floor(this.#random() * 36 ** 9)
      .toString(36)
      .padStart(9, "0")}`;
  }

  /** Undefined where the actor lacks an object that the request needs. */
  build(actor: Actor, operation: Operation, choice: Choice = {}): Prepared | undefined {
    const { focus, replaced = new Map<Place, unknown>(), marker = this.createMarker() } = choice;
    const attempt = choice.attempt ?? this.accepted.get(operation.id) ?? 0;
    const values = new Values(this.#arbitraries, marker, choice.turn ?? (focus?.turn ?? 0) + 1);
    const uses: FuzzedObject[] = focus === undefined ? [] : [focus];
    const params: Record<string, unknown> = {};
    const query: Record<string, unknown> = {};
    const headers: Record<string, unknown> = {};
    for (const { name, in: at, required, schema } of operation.parameters) {
      if (at === "query" && isLimit(name)) query[name] = Math.min(100, Number(schema.maximum ?? 100));
      else if (at === "path") params[name] = values.of(schema, 0, name);
      else if (required === true) (at === "query" ? query : headers)[name] = values.of(schema, 0, name);
    }
    let body = operation.body === undefined ? undefined : values.of(operation.body.schema, attempt);
    const taken = new Set<FuzzedObject>();
    for (const place of this.placesOf(operation)) {
      let value = replaced.get(place);
      if (!replaced.has(place)) {
        if (!place.isRequired || isCursor(place)) {
          if (place.in === "body") body = removeAt(body, place.keys);
          continue;
        }
        const object = this.#own(actor, operation, place, focus, taken);
        if (object === undefined) {
          if (place.in === "path" && this.#world.objects.length > 0 && this.#takesText(operation, place)) continue;
          if (place.in !== "path" && !this.#world.isNamed(place)) continue; // of another system: any valid value
          return undefined;
        }
        uses.push(object);
        taken.add(object);
        value = place.isList ? [toValue(place, object)] : toValue(place, object);
      }
      const [key = ""] = place.keys;
      if (place.in === "path") params[key] = value;
      else if (place.in === "query") query[key] = value;
      else body = replaceAt(body, place.keys, value);
    }
    return { request: { params, query, headers, body, isKnown: true, invalid: undefined }, uses: [...new Set(uses)] };
  }

  /** The object of the actor for a place: the one in focus, one around it, or another of the same kind. */
  #own(
    actor: Actor,
    operation: Operation,
    place: Place,
    focus: FuzzedObject | undefined,
    taken: ReadonlySet<FuzzedObject>,
  ): FuzzedObject | undefined {
    const kinds = this.#world.kindsOf(operation, place);
    const near = focus === undefined ? [] : [focus, ...around(focus)].filter((one) => !taken.has(one));
    const fitting = near.find(({ kind }) => kinds.includes(kind));
    if (fitting !== undefined) return fitting;
    const [first] = kinds;
    if (first === userKind && focus !== undefined) return this.#world.users.get(focus.owner);
    return kinds.map((kind) => this.#world.pick(actor, kind)).find((one) => one !== undefined);
  }

  /** Whether a parameter of the path is a text of a few, such as a year, and not an id. */
  #takesText({ parameters }: Operation, { keys }: Place): boolean {
    const { schema = {} } = parameters.find(({ name, in: at }) => at === "path" && name === keys[0]) ?? {};
    return "pattern" in schema || "maximum" in schema || typesOf(schema).includes("boolean");
  }
}

/** The id, or the field of the object that the place is named after, such as a slug. */
export function toValue({ in: at, keys, isText }: Place, { id, fields }: FuzzedObject): unknown {
  const name = keys.at(-1) ?? "";
  const field = fields[name];
  const isNamed = /^(?:slug|key|code|name|number)$/.test(name) || (at === "path" && !/id$/i.test(name));
  if (isNamed && (typeof field === "string" || typeof field === "number")) return field;
  return isText ? String(id) : id;
}

function removeAt(value: unknown, keys: readonly string[]): unknown {
  const [key = "", ...rest] = keys;
  if (typeof value !== "object" || value === null || !(key in value)) return value;
  const whole = value as Readonly<Record<string, unknown>>; // checked
  if (rest.length > 0) return replaceAt(whole, [key], removeAt(whole[key], rest));
  const { [key]: _, ...others } = whole;
  return Array.isArray(value) ? value : others;
}
