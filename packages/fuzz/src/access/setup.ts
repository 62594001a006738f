import type { Operation } from "../operation.ts";
import { type Actor, toGuest } from "./actors.ts";
import type { RequestBuilder } from "./builder.ts";
import type { Exchange } from "./exchange.ts";
import { findNode, findValues } from "./ids.ts";
import type { Learner } from "./learner.ts";
import { isCursor } from "./places.ts";
import { around, type FuzzedObject, isSuccess, type Step } from "./step.ts";
import type { World } from "./world.ts";

const wanted = 3; // objects of a kind for each actor: a list of one has no second page

type Values = ReadonlyMap<string, string | number>;

export interface OwnerTools {
  readonly exchange: Exchange;
  readonly builder: RequestBuilder;
  readonly world: World;
  readonly learner: Learner;
}

/** Creates objects by the application's own operations, and learns which of them show, change and delete what. */
export class Setup {
  readonly #tools: OwnerTools;
  readonly #operations: readonly Operation[];
  readonly #users: readonly Actor[];
  /** By kind: the operations that show and delete its objects. */
  readonly watchers = new Map<string, Set<Operation>>();
  readonly deleters = new Map<string, Operation>();
  /** Fields that change from one read to the next, such as a counter. */
  readonly volatile = new Set<string>();
  readonly #actions = new Set<string>();
  readonly #alive = new Map<Actor, Operation>();

  constructor(tools: OwnerTools, operations: readonly Operation[], actors: readonly Actor[]) {
    this.#tools = tools;
    this.#operations = operations.filter(({ live }) => live === undefined);
    this.#users = actors.filter(({ isGuest }) => !isGuest);
  }

  async run(): Promise<void> {
    const before = await this.#readSelves();
    await this.#createAll();
    this.#learnSelves(before, await this.#readSelves());
    this.#tools.world.learnUsers();
    await this.#createAll();
    await this.#readAll();
    await this.#changeAll();
    await this.#deleteAll();
    await this.#reachDeleted();
    for (const operation of this.#operations) {
      const owner = this.#users.find((one) => this.#tools.exchange.hasReached(one, operation));
      if (owner !== undefined) await this.#tools.learner.probe(owner, operation);
    }
  }

  /** An object of a kind after its owner has deleted it. */
  async createDeleted(owner: Actor, kind: string): Promise<FuzzedObject | undefined> {
    const operation = this.deleters.get(kind);
    const focus = operation && (await this.#tools.learner.create(owner, kind));
    if (operation === undefined || focus === undefined) return undefined;
    const reached = await this.#tools.learner.reach(owner, operation, { focus });
    if (reached === undefined) focus.isSpent = true;
    else focus.deletion = reached.step;
    return reached && focus;
  }

  /** Reads what each actor can see without an object, before there is one: lists come later, because they may be cached. */
  async #readSelves(): Promise<Map<Operation, Map<Actor, Values>>> {
    const found = new Map<Operation, Map<Actor, Values>>();
    for (const operation of this.#operations) {
      const isList = Object.values(operation.returned).some((schema) => "items" in schema);
      const isSelf = Object.keys(operation.returned).length > 0 && !isList && this.#needed(operation).length === 0;
      if (operation.method !== "GET" || !isSelf) continue;
      const seen = new Map<Actor, Values>();
      for (const actor of this.#users) {
        const reached = await this.#tools.learner.reach(actor, operation);
        if (reached === undefined) continue;
        seen.set(actor, findValues(reached.step.seen.json));
        await this.#noteGuard(reached.step);
      }
      found.set(operation, seen);
    }
    return found;
  }

  /** What is the same in both reads of an actor, and differs between actors, may be an identity of its user. */
  #learnSelves(before: Map<Operation, Map<Actor, Values>>, after: Map<Operation, Map<Actor, Values>>): void {
    for (const [operation, byActor] of before) {
      const all = [...(after.get(operation) ?? [])];
      const isOwn = (path: string) =>
        all.length > 1 &&
        new Set(all.map(([, values]) => values.get(path))).size === all.length &&
        all.every(([actor, values]) => values.has(path) && byActor.get(actor)?.get(path) === values.get(path));
      for (const [actor, values] of all) {
        const own = new Map([...values].filter(([path]) => isOwn(path)));
        if (own.size > 0) this.#tools.world.addUser(actor, own);
      }
    }
  }

  #needed(operation: Operation) {
    return this.#tools.builder.placesOf(operation).filter((place) => place.isRequired && !isCursor(place));
  }

  /** The kinds whose objects an operation takes. */
  #kindsOf(operation: Operation): Set<string> {
    const known = this.#needed(operation).map((place) => this.#tools.builder.identityOf(operation, place));
    return new Set(known.flatMap((one) => one?.kind ?? []));
  }

  async #createAll(): Promise<void> {
    const posts = this.#operations.filter(({ method }) => method === "POST");
    const sorted = posts.toSorted((a, b) => a.path.split("{").length - b.path.split("{").length);
    for (let hasNew = true; hasNew; ) {
      hasNew = false;
      for (const operation of sorted) {
        if (this.#tools.world.creators.has(operation.id) || this.#actions.has(operation.id)) continue;
        for (const owner of this.#users) {
          for (let count = 0; count < wanted; count++) {
            const reached = await this.#tools.learner.reach(owner, operation);
            if (count === 0) await this.#checkAlive(owner, operation);
            if (reached !== undefined && reached.object === undefined) this.#actions.add(operation.id);
            if (reached?.object === undefined) break;
          }
        }
        if (!this.#tools.world.creators.has(operation.id)) continue;
        if (this.#tools.world.settle(operation.id)) hasNew = true;
        else this.#actions.add(operation.id);
      }
    }
  }

  async #readAll(): Promise<void> {
    for (const operation of this.#operations.filter(({ method }) => method === "GET")) {
      for (const [index, actor] of this.#users.entries()) {
        if (!this.#tools.builder.accepted.has(operation.id)) await this.#tools.learner.reach(actor, operation);
        const named = this.#kindsOf(operation);
        const own: FuzzedObject[] = [];
        for (const kind of this.#tools.world.creators.keys()) {
          const object = await this.#tools.learner.pick(actor, kind);
          if (object !== undefined) own.push(object);
        }
        // which operations show which kinds is the same for all actors
        const isNear = (object: FuzzedObject) =>
          named.has(object.kind) || (index === 0 && around(object).some(({ kind }) => named.has(kind)));
        const focused = named.size === 0 ? [] : own.filter(isNear);
        for (const focus of focused.length === 0 ? [undefined] : focused) {
          await this.#read(actor, operation, focus, focus === undefined ? own : [focus], named);
        }
      }
    }
  }

  /** Reads once, and notes which of the objects are shown. */
  async #read(
    actor: Actor,
    operation: Operation,
    focus: FuzzedObject | undefined,
    objects: readonly FuzzedObject[],
    named: ReadonlySet<string>,
  ): Promise<void> {
    const step = await this.#tools.exchange.request(actor, operation, { focus });
    if (step === undefined || !isSuccess(step.seen)) return;
    await this.#noteGuard(step);
    for (const { id, idPath, kind, marker } of objects) {
      const node = findNode(step.seen.json, String(id), idPath);
      const isShown = node !== undefined || (marker !== "" && step.seen.text.includes(marker));
      if (!isShown && !named.has(kind)) continue;
      this.watchers.set(kind, (this.watchers.get(kind) ?? new Set()).add(operation));
      if (node === undefined) continue;
      const again = await this.#tools.exchange.send(actor, operation, step);
      for (const name of changedFields(node, findNode(again.seen.json, String(id), idPath))) this.volatile.add(name);
    }
  }

  /** Keeps a read that needs credentials; the document does not tell where a guard declares nothing. */
  async #noteGuard(step: Step): Promise<void> {
    const { actor, operation } = step;
    if (this.#alive.has(actor)) return;
    const { seen } = await this.#tools.exchange.send(toGuest(actor), operation, step);
    if (seen.status === 401) this.#alive.set(actor, operation);
  }

  /** Finds the bodies that updates and actions accept, and leaves an object of each actor in another state, such as published. */
  async #changeAll(): Promise<void> {
    for (const operation of this.#operations) {
      const isDone = this.#tools.world.creators.has(operation.id) || this.#actions.has(operation.id);
      if (!["PUT", "PATCH", "POST"].includes(operation.method) || isDone) continue;
      for (const owner of this.#users) {
        const focus = await this.#createFocus(owner, operation);
        const reached = await this.#tools.learner.reach(owner, operation, { focus, turn: 1 });
        if (reached === undefined) continue;
        if (focus !== undefined) this.#tools.world.setAside(focus);
        await this.#checkAlive(owner, operation);
      }
    }
  }

  /** A new object for the last id that a request needs. */
  async #createFocus(owner: Actor, operation: Operation): Promise<FuzzedObject | undefined> {
    const kind = [...this.#kindsOf(operation)].at(-1);
    return kind === undefined ? undefined : this.#tools.learner.create(owner, kind);
  }

  /** An operation without an id, such as that of the user's own account, is left out. */
  async #deleteAll(): Promise<void> {
    const deletes = this.#operations.filter(({ method, path }) => method === "DELETE" && path.includes("{"));
    for (const operation of deletes) {
      // what it takes back, such as a favorite
      const same = this.#operations.filter(({ path }) => path === operation.path);
      const done = same.filter(({ method }) => ["POST", "PUT"].includes(method));
      for (const owner of this.#users) {
        const focus = await this.#createFocus(owner, operation);
        for (const one of done) await this.#tools.learner.reach(owner, one, { focus });
        const reached = await this.#tools.learner.reach(owner, operation, { focus });
        if (reached === undefined || focus === undefined) continue;
        if (!(await this.#isGone(owner, focus, operation))) continue;
        focus.deletion = reached.step;
        if (!this.deleters.has(focus.kind)) this.deleters.set(focus.kind, operation);
      }
    }
  }

  /** Whether a read does not show it any more; all reads, where the path ends with something inside of it. */
  async #isGone(owner: Actor, focus: FuzzedObject, { path }: Operation): Promise<boolean> {
    const shown = new Set<boolean>();
    for (const operation of this.watchers.get(focus.kind) ?? []) {
      const step = await this.#tools.exchange.request(owner, operation, { focus });
      if (step === undefined) continue;
      shown.add(isSuccess(step.seen) && findNode(step.seen.json, String(focus.id), focus.idPath) !== undefined);
    }
    return path.endsWith("}") ? shown.has(false) || shown.size === 0 : !shown.has(true);
  }

  /** What takes only what was deleted, such as an operation that restores it. */
  async #reachDeleted(): Promise<void> {
    for (const operation of this.#operations) {
      if (this.#tools.exchange.reached.has(operation.id) || !operation.path.includes("{")) continue;
      const kind = [...this.#kindsOf(operation)].findLast((one) => this.deleters.has(one));
      for (const owner of kind === undefined ? [] : this.#users) {
        const focus = await this.createDeleted(owner, kind ?? "");
        if (focus !== undefined && (await this.#tools.learner.reach(owner, operation, { focus }))) focus.isSpent = true;
      }
    }
  }

  /** A run whose actor is logged out would show nothing. */
  async #checkAlive(actor: Actor, operation: Operation): Promise<void> {
    const read = this.#alive.get(actor);
    const step = read && (await this.#tools.exchange.request(actor, read));
    if (step?.seen.status !== 401) return;
    throw new Error(
      `fuzzAccess(): ${operation.id} has ended the credentials of ${actor.name}: ${step.operation.id} responds 401 since then. Name it in the option skip: ["${operation.id}"].`,
    );
  }
}

/** The fields of an object that differ; all of them where it is missing. */
export function changedFields(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>> | undefined,
): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after ?? {})]);
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after?.[name]));
}
