import { toTarget } from "../fuzzed-request.ts";
import type { Operation } from "../operation.ts";
import type { Actor } from "./actors.ts";
import { findNode } from "./ids.ts";
import { changedFields, type OwnerTools, type Setup } from "./setup.ts";
import { type FindingKind, type FuzzedObject, isSuccess, type Step, type Verdict } from "./step.ts";
import { userKind } from "./world.ts";

export type IsShared = (object: Readonly<Record<string, unknown>>) => unknown;
/** Operations, by their ids, that all actors may use: on every object, or on those of which a function says so. */
type Shared = ReadonlyMap<string, true | IsShared>;

const mostWatchers = 4;

/** Decides what a response shows about the objects of others. */
export class Oracle {
  readonly #tools: OwnerTools & { readonly setup: Setup };
  readonly #shared: Shared;
  readonly #reads: readonly Operation[];
  readonly #public = new Map<string, boolean>();

  constructor(tools: OwnerTools & { readonly setup: Setup }, operations: readonly Operation[], shared: Shared) {
    this.#tools = tools;
    this.#shared = shared;
    this.#reads = operations.filter(({ id, method, live }) => shared.has(id) && method === "GET" && live === undefined);
  }

  /** The objects of other actors that a response shows, although the request did not name what it shows. */
  async findLeaks(step: Step): Promise<FuzzedObject[]> {
    const { actor } = step;
    const leaks = this.#tools.world.objects.filter(
      (one) => one.owner !== actor && !one.isSpent && this.isShown(step, one),
    );
    const secret: FuzzedObject[] = [];
    for (const one of leaks.toReversed()) {
      if (secret.length < 2 && !(await this.isPublic(actor, one))) secret.push(one);
    }
    return secret;
  }

  /** Whether a response shows more of an object than the request has sent. */
  isShown({ actor, operation, request, seen }: Step, { id, idPath, kind, marker }: FuzzedObject): boolean {
    if (!isSuccess(seen) || seen.text === "") return false;
    const sent = `${decodeURIComponent(toTarget(operation, request))} ${JSON.stringify(request.body)}`;
    const texts = marker === "" ? [] : (seen.text.match(new RegExp(`${marker}(?:x\\d+)?`, "g")) ?? []);
    // a slug that was sent has the text as a part
    const isNew = (text: string) => hasWord(seen.text, text) && !hasWord(sent, text);
    if (texts.some((text) => !sent.includes(text) || isNew(text))) return true;
    const name = String(id);
    if (this.#tools.world.find(actor, id, kind) !== undefined) return false;
    if (name.length >= 8 && isNew(name)) return true;
    // a search has sent the text, but not that it is the object's
    const isSearch = operation.method === "GET" && texts.length > 0;
    return isSearch && JSON.stringify(findNode(seen.json, name, idPath) ?? "").includes(marker);
  }

  /** Whether it depends on the object what is shared. */
  get hasConditions(): boolean {
    return this.#reads.some(({ id }) => this.#shared.get(id) !== true);
  }

  /** Whether an operation that is shared on purpose shows an object to an actor. */
  async isPublic(actor: Actor, object: FuzzedObject): Promise<boolean> {
    const key = `${actor.name} ${object.kind} ${object.id} ${object.deletion !== undefined}`;
    const known = this.hasConditions ? undefined : this.#public.get(key); // the state of an object changes
    const isPublic = known ?? (await this.#findPublic(actor, object));
    this.#public.set(key, isPublic);
    return isPublic;
  }

  async #findPublic(actor: Actor, object: FuzzedObject): Promise<boolean> {
    // a user is shown by what the user has created
    const own = [...this.#tools.world.creators.keys()].flatMap(
      (kind) => this.#tools.world.pick(object.owner, kind) ?? [],
    );
    for (const operation of this.#reads) {
      const isFor = this.#shared.get(operation.id) ?? true;
      for (const focus of object.kind === userKind ? [object, ...own] : [object]) {
        const prepared = this.#tools.builder.build(actor, operation, { focus });
        if (prepared === undefined) continue;
        if (isFor !== true && !isFor((await this.#readAsOwner(operation, focus)) ?? {})) continue;
        const { seen } = await this.#tools.exchange.send(actor, operation, prepared);
        if (!isSuccess(seen)) continue;
        if (object.marker !== "" && seen.text.includes(object.marker)) return true;
        const id = String(object.id);
        if (findNode(seen.json, id, object.idPath) !== undefined || (id.length >= 8 && seen.text.includes(id)))
          return true;
      }
    }
    return false;
  }

  async #readAsOwner(operation: Operation, object: FuzzedObject) {
    const step = await this.#tools.exchange.request(object.owner, operation, { focus: object });
    const find = (json: unknown) => findNode(json, String(object.id), object.idPath);
    return find(step?.seen.json) ?? find(object.created?.seen.json);
  }

  /** What the owner reads about an object. */
  async look(owner: Actor, object: FuzzedObject): Promise<Step[]> {
    const steps: Step[] = [];
    const watchers = [...(this.#tools.setup.watchers.get(object.kind) ?? [])];
    // an operation that names the object says more about it than a list
    const sorted = watchers.toSorted((a, b) => b.path.split("{").length - a.path.split("{").length);
    for (const operation of sorted.slice(0, mostWatchers)) {
      const step = await this.#tools.exchange.request(owner, operation, { focus: object });
      if (step !== undefined) steps.push(step);
    }
    return steps;
  }

  /** What has happened to an object between two reads of its owner; `marker` is the text that the attacker has sent. */
  compare(object: FuzzedObject, before: readonly Step[], after: readonly Step[], marker: string): Verdict | undefined {
    const id = String(object.id);
    for (const [index, { operation, seen }] of before.entries()) {
      const later = after[index];
      if (later === undefined) continue;
      const make = (kind: FindingKind, evidence: string): Verdict => ({
        kind,
        evidence: `${object.owner.name} then reads ${operation.id}: ${evidence}`,
        steps: [later],
        objects: [object],
      });
      const shown = findNode(later.seen.json, id, object.idPath);
      // in a list, it may be beside the object
      if (marker !== "" && (shown === undefined ? later.seen.text : JSON.stringify(shown)).includes(marker))
        return make(shown === undefined ? "attach" : "change", "it has the attacker's text");
      if (!isSuccess(seen)) {
        if (isSuccess(later.seen)) return make("change", `${later.seen.status} instead of ${seen.status}`);
        continue;
      }
      if ([404, 410].includes(later.seen.status)) return make("delete", `${later.seen.status}, the object is gone`);
      const [was, is] = [findNode(seen.json, id, object.idPath), shown];
      if (was === undefined) continue;
      if (is === undefined) {
        // a list of many pages may have lost it to another page
        if (isSuccess(later.seen) && !later.seen.text.includes(id)) return make("delete", "the object is gone");
        continue;
      }
      const changed = changedFields(was, is).filter((name) => !this.#tools.setup.volatile.has(name));
      if (changed.length > 0) return make("change", `${changed.join(", ")} changed`);
    }
    return undefined;
  }
}

function hasWord(text: string, word: string): boolean {
  return new RegExp(`(?<![\\w-])${RegExp.escape(word)}(?![\\w-])`).test(text);
}
