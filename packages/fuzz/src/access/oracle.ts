import { toTarget } from "../fuzzed-request.ts";
import type { Operation } from "../operation.ts";
import type { Actor } from "./actors.ts";
import type { RequestBuilder } from "./builder.ts";
import type { Exchange } from "./exchange.ts";
import { findNode, normalise } from "./ids.ts";
import { changedFields, type Setup } from "./setup.ts";
import { type FuzzedObject, isSuccess, type Seen, type Step } from "./step.ts";
import { userKind, type World } from "./world.ts";

export type FindingKind = "delete" | "change" | "attach" | "mass assignment" | "live" | "read" | "existence";

/** What an attack has shown, with the requests that show it. */
export interface Verdict {
  readonly kind: FindingKind;
  readonly evidence: string;
  readonly steps: readonly Step[];
  readonly objects: readonly FuzzedObject[];
}

/** What an owner sees of an object. */
export interface Snapshot {
  readonly steps: readonly Step[];
}

const mostWatchers = 4;

/** Decides what a response shows about the objects of others. */
export class Oracle {
  readonly #exchange: Exchange;
  readonly #builder: RequestBuilder;
  readonly #world: World;
  readonly #setup: Setup;
  readonly #shared: readonly Operation[];
  readonly #public = new Map<string, boolean>();

  constructor(exchange: Exchange, builder: RequestBuilder, world: World, setup: Setup, shared: readonly Operation[]) {
    this.#exchange = exchange;
    this.#builder = builder;
    this.#world = world;
    this.#setup = setup;
    this.#shared = shared.filter(({ method, live }) => method === "GET" && live === undefined);
  }

  /** The objects of other actors that a response shows, although the request did not name what it shows. */
  async findLeaks({ actor, operation, request, seen }: Step): Promise<FuzzedObject[]> {
    if (!isSuccess(seen) || seen.text === "") return [];
    const sent = `${decodeURIComponent(toTarget(operation, request))} ${JSON.stringify(request.body)}`;
    const isIn = (text: string) => text !== "" && seen.text.includes(text) && !sent.includes(text);
    const leaks = this.#world.objects.filter((one) => {
      if (one.owner === actor || one.isSpent) return false;
      const id = String(one.id);
      return isIn(one.marker) || (id.length >= 8 && isIn(id) && this.#world.find(actor, id, one.kind) === undefined);
    });
    const secret: FuzzedObject[] = [];
    for (const one of leaks.toReversed()) {
      if (secret.length < 2 && !(await this.isPublic(actor, one))) secret.push(one);
    }
    return secret;
  }

  /** Whether an operation that is shared on purpose shows an object to an actor. */
  async isPublic(actor: Actor, object: FuzzedObject): Promise<boolean> {
    const key = `${actor.name} ${object.kind} ${object.id} ${object.deletion !== undefined}`;
    const known = this.#public.get(key) ?? (await this.#findPublic(actor, object));
    this.#public.set(key, known);
    return known;
  }

  async #findPublic(actor: Actor, object: FuzzedObject): Promise<boolean> {
    // a user is shown by what the user has created
    const kinds = [...this.#setup.creators.keys()];
    const own = kinds.flatMap((kind) => this.#world.pick(object.owner, kind) ?? []);
    for (const operation of this.#shared) {
      for (const focus of object.kind === userKind ? [object, ...own] : [object]) {
        const prepared = this.#builder.build(actor, operation, { focus });
        if (prepared === undefined) continue;
        const { seen } = await this.#exchange.send(actor, operation, prepared);
        if (!isSuccess(seen)) continue;
        if (object.marker !== "" && seen.text.includes(object.marker)) return true;
        const id = String(object.id);
        if (findNode(seen.json, id, object.idPath) !== undefined || (id.length >= 8 && seen.text.includes(id)))
          return true;
      }
    }
    return false;
  }

  /** What the owner reads about an object. */
  async look(owner: Actor, object: FuzzedObject): Promise<Snapshot> {
    const steps: Step[] = [];
    const watchers = [...(this.#setup.watchers.get(object.kind) ?? [])];
    // an operation that names the object says more about it than a list
    const sorted = watchers.toSorted((a, b) => b.path.split("{").length - a.path.split("{").length);
    for (const operation of sorted.slice(0, mostWatchers)) {
      const prepared = this.#builder.build(owner, operation, { focus: object });
      if (prepared !== undefined) steps.push(await this.#exchange.send(owner, operation, prepared));
    }
    return { steps };
  }

  /** What has happened to an object between two reads of its owner; `marker` is the text that the attacker has sent. */
  compare(object: FuzzedObject, before: Snapshot, after: Snapshot, marker: string): Verdict | undefined {
    const id = String(object.id);
    for (const [index, { operation, seen }] of before.steps.entries()) {
      const later = after.steps[index];
      if (later === undefined) continue;
      const make = (kind: FindingKind, evidence: string): Verdict => ({
        kind,
        evidence: `${object.owner.name} then reads ${operation.id}: ${evidence}`,
        steps: [later],
        objects: [object],
      });
      if (marker !== "" && later.seen.text.includes(marker)) {
        return make(
          findNode(later.seen.json, id, object.idPath) === undefined ? "attach" : "change",
          "it has the attacker's text",
        );
      }
      if (!isSuccess(seen)) {
        if (isSuccess(later.seen)) return make("change", `${later.seen.status} instead of ${seen.status}`);
        continue;
      }
      if ([404, 410].includes(later.seen.status)) return make("delete", `${later.seen.status}, the object is gone`);
      const [was, is] = [seen, later.seen].map(({ json }) => findNode(json, id, object.idPath));
      if (was === undefined) continue;
      if (is === undefined) {
        // a list of many pages may have lost it to another page
        if (isSuccess(later.seen) && !later.seen.text.includes(id)) return make("delete", "the object is gone");
        continue;
      }
      const changed = changedFields(was, is).filter((name) => !this.#setup.volatile.has(name));
      if (changed.length > 0) return make("change", `${changed.join(", ")} changed`);
    }
    return undefined;
  }
}

/** Whether two responses differ in more than the ids of their requests. */
export function differ(
  one: Seen,
  ones: readonly (string | number)[],
  other: Seen,
  others: readonly (string | number)[],
) {
  return one.status !== other.status || normalise(one.text, ones) !== normalise(other.text, others);
}
