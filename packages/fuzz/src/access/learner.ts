import type { Operation } from "../operation.ts";
import type { Actor } from "./actors.ts";
import { type Choice, type RequestBuilder, toValue } from "./builder.ts";
import type { Exchange } from "./exchange.ts";
import { differ, isObject } from "./ids.ts";
import { isCursor, type Place, toFitting } from "./places.ts";
import { around, type FuzzedObject, isSuccess, type Step } from "./step.ts";
import { attempts } from "./values.ts";
import { type Identity, userKind, type World } from "./world.ts";

const mostTries = 60; // requests that look for one that an operation accepts
const mostDoubts = 10; // of them, after one that was accepted, but perhaps not for its ids
const mostProbes = 4; // identities for a place that may be left out
const mostCreated = 12; // objects for one request
export const refused = [400, 409, 422]; // another body may be accepted

type Identities = ReadonlyMap<Place, Identity | undefined>;

interface Reached {
  readonly step: Step;
  /** What the request has created. */
  readonly object: FuzzedObject | undefined;
}

type Found = readonly [identities: Identities, reached: Reached | undefined];

/** Finds requests that an owner may send, and by them which places take which identities. */
export class Learner {
  readonly #exchange: Exchange;
  readonly #builder: RequestBuilder;
  readonly #world: World;
  /** By operation, and the number of kinds: how many requests were tried. */
  readonly #tries = new Map<string, number>();
  /** By owner and operation: the last request that was accepted, with its text. */
  readonly accepted = new Map<string, Step & { readonly marker: string }>();
  readonly #creating = new Set<string>();

  constructor(exchange: Exchange, builder: RequestBuilder, world: World) {
    this.#exchange = exchange;
    this.#builder = builder;
    this.#world = world;
  }

  /** Another object of a kind, or undefined where its owner cannot create one now. */
  async create(owner: Actor, kind: string): Promise<FuzzedObject | undefined> {
    const operation = this.#world.creators.get(kind);
    if (operation === undefined || this.#creating.has(kind)) return undefined;
    this.#creating.add(kind);
    try {
      return (await this.reach(owner, operation))?.object;
    } finally {
      this.#creating.delete(kind);
    }
  }

  /** The newest object of a kind, or another one. */
  async pick(owner: Actor, kind: string): Promise<FuzzedObject | undefined> {
    return this.#world.pick(owner, kind) ?? this.create(owner, kind);
  }

  /** A new object of a kind, or the newest. */
  async renew(owner: Actor, kind: string): Promise<FuzzedObject | undefined> {
    return (await this.create(owner, kind)) ?? this.#world.pick(owner, kind);
  }

  /** A request of an owner that succeeds: with what is known of its places, else with what they may take. */
  async reach(owner: Actor, operation: Operation, choice: Choice = {}): Promise<Reached | undefined> {
    const accepted = this.#builder.accepted.get(operation.id);
    if (accepted !== undefined) {
      const reached = await this.#send(owner, operation, { ...choice, attempt: accepted });
      return reached !== undefined && isSuccess(reached.step.seen) ? reached : undefined;
    }
    let first: Found | undefined;
    let doubts = 0;
    const key = `${operation.id} ${this.#world.kinds}`; // a new kind may be what it takes
    let bodies = operation.body === undefined ? 1 : attempts;
    for (const identities of this.#assignments(operation)) {
      for (let attempt = 0; attempt < bodies; attempt++) {
        const tries = (this.#tries.get(key) ?? 0) + 1;
        this.#tries.set(key, tries);
        if (tries > mostTries || doubts > mostDoubts) return this.#learn(operation, first);
        if (first !== undefined) doubts++;
        const given: Choice = { ...choice, identities, attempt: this.#builder.accepted.get(operation.id) ?? attempt };
        const reached = await this.#send(owner, operation, given);
        if (reached?.step.seen.status === 401) return undefined;
        if (reached !== undefined && isSuccess(reached.step.seen)) {
          this.#builder.accepted.set(operation.id, given.attempt ?? 0);
          first ??= [identities, reached];
          if (await this.#isProven(owner, operation, given, reached.step))
            return this.#learn(operation, [identities, reached]);
        }
        if (reached === undefined || !refused.includes(reached.step.seen.status)) break;
      }
      bodies = Math.min(bodies, 2);
    }
    return this.#learn(operation, first);
  }

  #learn(operation: Operation, [identities, reached]: Found = [new Map(), undefined]): Reached | undefined {
    for (const [place, identity] of identities) {
      if (identity !== undefined) this.#world.learn(operation, place, identity);
    }
    return reached;
  }

  /** Looks for an identity that a place takes which needs none, or takes any value: an own one makes a difference. */
  async probe(owner: Actor, operation: Operation): Promise<void> {
    const accepted = this.#builder.build(owner, operation)?.request.body;
    for (const place of this.#builder.placesOf(operation)) {
      if (place.in === "path" || isCursor(place) || this.#world.knownOf(operation, place) !== undefined) continue;
      // a text that is not an id was accepted
      if (place.in === "body" && typeof [valueAt(accepted, place.keys)].flat()[0] === "string") continue;
      for (const identity of this.#world.guessIds(operation, place).slice(0, mostProbes)) {
        if (await this.#isTaken(owner, operation, place, identity)) {
          this.#world.learn(operation, place, identity);
          break;
        }
      }
    }
  }

  async #isTaken(owner: Actor, operation: Operation, place: Place, identity: Identity): Promise<boolean> {
    const object = await this.pick(owner, identity.kind);
    const value = object && toValue(place, identity, object);
    if (value === undefined) return false;
    const send = async (one: string | number) => {
      const fitting = toFitting(place, one);
      if (fitting === undefined) return undefined;
      const replaced = new Map([[place, place.isList ? [fitting] : fitting]]);
      return (await this.#send(owner, operation, { replaced }))?.step.seen;
    };
    const beyond = this.#builder.createUnknown(value);
    const other = typeof value === "number" ? 0 : this.#builder.createUnknown(value);
    const isRead = operation.method === "GET";
    const miss = await send(beyond);
    if (miss === undefined || (!isRead && isSuccess(miss))) return false;
    const hit = await send(value);
    if (hit === undefined || !isSuccess(hit) || !differ(hit, [value], miss, [beyond])) return false;
    // numbers on both sides: a limit, unlike an id, divides them; and what differs each time says nothing
    const again = await send(other);
    return again === undefined || (isRead ? !differ(miss, [beyond], again, [other]) : !isSuccess(again));
  }

  /** Whether an operation that was accepted refuses each of its new ids when it is replaced by an unknown one. */
  async #isProven(owner: Actor, operation: Operation, choice: Choice, step: Step): Promise<boolean> {
    const isShown = (object: FuzzedObject) =>
      this.#world.objects
        .filter((one) => one === object || around(one).includes(object))
        .some(({ marker }) => marker !== "" && step.seen.text.includes(marker));
    const taken = [...(choice.identities ?? [])].flatMap(([place, identity]) => {
      const object = step.uses.find(({ kind }) => kind === identity?.kind);
      const isNew = identity !== undefined && this.#world.knownOf(operation, place) === undefined;
      return isNew && object !== undefined ? [{ place, object, value: toValue(place, identity, object) ?? "" }] : [];
    });
    // a short id may be that of an object of another kind
    const isClear = taken.every(
      ({ object, value }) =>
        String(value).length >= 8 || (operation.method === "GET" ? isShown(object) : !this.#world.isAmbiguous(object)),
    );
    for (const { place, value } of taken) {
      const unknown = toFitting(place, this.#builder.createUnknown(value));
      const replaced = new Map([[place, place.isList ? [unknown] : unknown]]);
      const miss = await this.#send(owner, operation, { ...choice, focus: undefined, replaced });
      if (miss === undefined) continue;
      if (operation.method === "PUT" && place.in === "path" && isSuccess(miss.step.seen))
        this.#world.chosen.add(operation.path);
      if (isSuccess(miss.step.seen) && !differ(step.seen, [value], miss.step.seen, [unknown ?? ""])) return false;
    }
    return isClear;
  }

  /** What the places take, the likeliest first. */
  *#assignments(operation: Operation): Generator<Identities> {
    const needed = this.#builder.placesOf(operation).filter((place) => place.isRequired && !isCursor(place));
    const options = needed.map((place): (Identity | undefined)[] => {
      const known = this.#world.knownOf(operation, place);
      if (known !== undefined) return [known];
      const guesses = this.#world.guess(operation, place);
      return place.in === "path" || this.#world.isLikely(place) ? [...guesses, undefined] : [undefined, ...guesses];
    });
    const most = options.reduce((sum, { length }) => sum + length - 1, 0);
    for (let sum = 0; sum <= most; sum++) {
      for (const picked of combine(options, sum)) yield new Map(needed.map((place, index) => [place, picked[index]]));
    }
  }

  async #send(owner: Actor, operation: Operation, choice: Choice): Promise<Reached | undefined> {
    await this.#provide(owner, operation, choice);
    const focus = choice.focus ?? this.#findChanged(owner, operation, choice.identities);
    const kept = operation.method === "POST" ? "" : focus?.marker; // its own text stays
    const marker = choice.marker ?? (kept || this.#builder.createMarker());
    const all = this.#world.objects.filter((one) => one.owner === owner && one.kind === operation.id);
    const turn = choice.turn ?? (operation.method === "POST" ? all.length : undefined);
    const given = { ...choice, focus, marker, ...(turn === undefined ? {} : { turn }) };
    const step = await this.#exchange.request(owner, operation, given);
    if (step === undefined) return undefined;
    if (isSuccess(step.seen)) this.accepted.set(`${owner.name} ${operation.id}`, { ...step, marker });
    if (operation.method !== "POST" || !isSuccess(step.seen)) return { step, object: undefined };
    const object = this.#world.register(step, marker, turn ?? 0);
    // it has done something to what it was given, such as archiving it
    for (const one of object === undefined ? step.uses : []) {
      if (one.kind !== userKind && !step.uses.some((other) => around(other).includes(one))) one.isSpent = true;
    }
    return { step, object };
  }

  /** The object that an update changes. */
  #findChanged(owner: Actor, operation: Operation, tried: Identities | undefined): FuzzedObject | undefined {
    if (!["PUT", "PATCH"].includes(operation.method)) return undefined;
    const place = this.#builder.placesOf(operation).findLast((one) => one.in === "path");
    const identity = place && this.#builder.identityOf(operation, place, tried);
    return identity && this.#world.pick(owner, identity.kind);
  }

  /** Creates what the request needs and its owner lacks: others may have used it up. */
  async #provide(owner: Actor, operation: Operation, { identities, focus, replaced }: Choice): Promise<void> {
    const kinds = this.#builder
      .placesOf(operation)
      .filter((place) => place.isRequired && !replaced?.has(place))
      .flatMap((place) => this.#builder.identityOf(operation, place, identities)?.kind ?? []);
    const near = focus === undefined ? [] : [focus, ...around(focus)];
    for (const kind of new Set(kinds)) {
      const count = kinds.filter((one) => one === kind).length;
      const has = near.some((one) => one.kind === kind) ? 1 : 0;
      for (let created = 0; created < mostCreated; created++) {
        const newest = this.#world.usable(owner, kind).slice(has - count);
        // a number that objects of other kinds have does not show which of them a place takes
        const isClear = identities === undefined || !newest.some((one) => this.#world.isAmbiguous(one));
        if (newest.length >= count - has && isClear) break;
        if ((await this.create(owner, kind)) === undefined) break;
      }
    }
  }
}

/** One of each list, so that their indexes have this sum. */
function* combine<T>([first, ...rest]: readonly (readonly T[])[], sum: number): Generator<T[]> {
  if (first === undefined) {
    if (sum === 0) yield [];
    return;
  }
  for (const [index, one] of first.entries()) {
    if (index <= sum) for (const others of combine(rest, sum - index)) yield [one, ...others];
  }
}

export function valueAt(value: unknown, keys: readonly string[]): unknown {
  const get = (all: unknown, key: string) => (isObject(all) ? new Map(Object.entries(all)).get(key) : undefined);
  return keys.reduce<unknown>(get, value);
}
