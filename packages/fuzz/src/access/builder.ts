import type { Arbitraries } from "../arbitrary.ts";
import type { Operation } from "../operation.ts";
import type { Actor } from "./actors.ts";
import { isObject, toUnknown } from "./ids.ts";
import { findPlaces, isLimit, type Place, replaceAt, toFitting } from "./places.ts";
import { around, type FuzzedObject, type Prepared } from "./step.ts";
import { Values } from "./values.ts";
import { type Identity, userKind, type World } from "./world.ts";

export interface Choice {
  /** The object that the request is about: its ids, and those of the objects around it. */
  readonly focus?: FuzzedObject | undefined;
  /** Values of places that are given. */
  readonly replaced?: ReadonlyMap<Place, unknown>;
  /** What places take, and undefined for any valid value. Defaults to what is known. */
  readonly identities?: ReadonlyMap<Place, Identity | undefined> | undefined;
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

  constructor(arbitraries: Arbitraries, world: World, seed: number) {
    this.#arbitraries = arbitraries;
    this.#world = world;
    this.#random = createRandom(seed);
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

  /** An id of the same form that does not exist. */
  createUnknown(value: string | number): string | number {
    return toUnknown(value, this.#random);
  }

  /** Undefined where the actor lacks an object that the request needs. */
  build(actor: Actor, operation: Operation, choice: Choice = {}): Prepared | undefined {
    const { focus, replaced = new Map<Place, unknown>(), marker = this.createMarker() } = choice;
    const attempt = choice.attempt ?? this.accepted.get(operation.id) ?? 0;
    const turn = choice.turn ?? (focus?.turn ?? 0) + 1;
    const values = new Values(this.#arbitraries, marker, turn);
    const uses: FuzzedObject[] = focus === undefined ? [] : [focus];
    const params: Record<string, unknown> = {};
    const query: Record<string, unknown> = {};
    const headers: Record<string, unknown> = {};
    for (const { name, in: at, required, schema } of operation.parameters) {
      if (at === "query" && isLimit(name)) query[name] = Math.min(100, Number(schema.maximum ?? 100));
      else if (at === "path") params[name] = values.of(schema, 0, name);
      else if (required === true) (at === "query" ? query : headers)[name] = values.of(schema, 0, name);
    }
    let body = operation.body && new Values(this.#arbitraries, marker, turn).of(operation.body.schema, attempt);
    const taken = new Set<FuzzedObject>();
    // the one in focus, one around it, or another of the same kind
    const own = (kind: string) => {
      const near = focus === undefined ? [] : [focus, ...around(focus)];
      const fitting = near.find((one) => one.kind === kind && !taken.has(one));
      return fitting ?? this.#world.pick(kind === userKind && focus ? focus.owner : actor, kind, taken);
    };
    for (const place of this.placesOf(operation)) {
      let value = replaced.get(place);
      if (!replaced.has(place)) {
        const identity = this.identityOf(operation, place, choice.identities);
        if (!place.isRequired && (identity !== undefined || this.#world.isLikely(place))) {
          if (place.in === "body") body = removeAt(body, place.keys);
          continue;
        }
        if (identity === undefined) continue; // any valid value
        const object = own(identity.kind);
        value = object && toValue(place, identity, object);
        if (object === undefined || value === undefined) return undefined;
        uses.push(object);
        taken.add(object);
        if (place.isList) value = [value];
      }
      const [key = ""] = place.keys;
      if (place.in === "path") params[key] = value;
      else if (place.in === "query") query[key] = value;
      else body = replaceAt(body, place.keys, value);
    }
    return { request: { params, query, headers, body, isKnown: true, invalid: undefined }, uses: [...new Set(uses)] };
  }

  /** What a place takes in a request; undefined for any valid value. */
  identityOf(operation: Operation, place: Place, tried?: Choice["identities"]): Identity | undefined {
    if (tried?.has(place) === true) return tried.get(place);
    const known = this.#world.knownOf(operation, place);
    // without a request that has succeeded, the likeliest
    return known ?? (place.in === "path" ? this.#world.guess(operation, place)[0] : undefined);
  }
}

/** The identity of an object as a place takes it. */
export function toValue(place: Place, { path }: Identity, { values }: FuzzedObject): string | number | undefined {
  const value = values.get(path);
  return value === undefined ? undefined : toFitting(place, value);
}

function removeAt(value: unknown, keys: readonly string[]): unknown {
  const [key = "", ...rest] = keys;
  if (!isObject(value) || !(key in value)) return value;
  const whole = value as Readonly<Record<string, unknown>>; // checked
  if (rest.length > 0) return replaceAt(whole, [key], removeAt(whole[key], rest));
  const { [key]: _, ...others } = whole;
  return Array.isArray(value) ? value : others;
}

/** Numbers from 0 to 1 by a seed (mulberry32): the same run for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
