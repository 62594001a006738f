import type { Operation } from "../operation.ts";
import type { Actor } from "./actors.ts";
import type { RequestBuilder } from "./builder.ts";
import type { Exchange } from "./exchange.ts";
import { findNode, isObject } from "./ids.ts";
import { toNoun } from "./places.ts";
import { around, type FuzzedObject, isSuccess, type Prepared, type Step } from "./step.ts";
import { attempts } from "./values.ts";
import { userKind, type World } from "./world.ts";

const wanted = 3; // objects of a kind for each actor: a list of one has no second page
const selfPath = /\/(?:me|self|profile|account|user|whoami|session)$/;

/** Creates objects by the application's own operations, and learns which of them show, change and delete what. */
export class Setup {
  readonly #exchange: Exchange;
  readonly #builder: RequestBuilder;
  readonly #world: World;
  readonly #operations: readonly Operation[];
  readonly #users: readonly Actor[];
  /** By kind: the operations that create, show and delete its objects. */
  readonly creators = new Map<string, Operation>();
  readonly watchers = new Map<string, Set<Operation>>();
  readonly deleters = new Map<string, Operation>();
  /** Fields that change from one read to the next, such as a counter. */
  readonly volatile = new Set<string>();
  readonly #actions = new Set<string>();
  readonly #alive = new Map<Actor, Operation>();

  constructor(
    exchange: Exchange,
    builder: RequestBuilder,
    world: World,
    operations: readonly Operation[],
    actors: readonly Actor[],
  ) {
    this.#exchange = exchange;
    this.#builder = builder;
    this.#world = world;
    this.#operations = operations.filter(({ live }) => live === undefined);
    world.learnPaths(operations);
    this.#users = actors.filter(({ isGuest }) => !isGuest);
  }

  async run(): Promise<void> {
    await this.#readAll(); // what an actor can read without an object shows whether its credentials work
    await this.#createAll();
    this.#world.learnUsers();
    await this.#createAll();
    await this.#readAll();
    await this.#changeAll();
    await this.#deleteAll();
  }

  /** Another object of a kind, or undefined where its owner cannot create one now. */
  async create(owner: Actor, kind: string): Promise<FuzzedObject | undefined> {
    const operation = this.creators.get(kind);
    if (operation === undefined) return undefined;
    const places = this.#builder.placesOf(operation).filter(({ isRequired }) => isRequired);
    for (const [parent = ""] of places.map((place) => this.#world.kindsOf(operation, place))) {
      // an attack may have used up all of them
      if (parent !== kind && this.#world.pick(owner, parent) === undefined) await this.create(owner, parent);
    }
    return this.#createWith(owner, operation);
  }

  /** An object of a kind after its owner has deleted it. */
  async createDeleted(owner: Actor, kind: string): Promise<FuzzedObject | undefined> {
    const operation = this.deleters.get(kind);
    const object = operation === undefined ? undefined : await this.create(owner, kind);
    const prepared = operation && object && this.#builder.build(owner, operation, { focus: object });
    if (operation === undefined || object === undefined || prepared === undefined) return undefined;
    const step = await this.#exchange.send(owner, operation, prepared);
    if (isSuccess(step.seen)) object.deletion = step;
    else object.isSpent = true;
    return object.deletion && object;
  }

  async #createWith(owner: Actor, operation: Operation): Promise<FuzzedObject | undefined> {
    const known = this.#builder.accepted.get(operation.id);
    const all = known === undefined ? Array.from({ length: attempts }, (_, index) => index) : [known];
    const kind = toNoun(operation.path);
    const turn = this.#world.objects.filter((one) => one.owner === owner && one.kind === kind).length;
    for (const attempt of all) {
      const marker = this.#builder.createMarker();
      const prepared = this.#builder.build(owner, operation, { attempt, marker, turn });
      if (prepared === undefined) return undefined;
      const step = await this.#exchange.send(owner, operation, prepared);
      if (isSuccess(step.seen)) {
        this.#builder.accepted.set(operation.id, attempt);
        const object = this.#world.register(step, marker, turn);
        if (object === undefined) this.#noteAction(operation, prepared);
        return object;
      }
      if (![400, 409, 422].includes(step.seen.status)) return undefined;
    }
    return undefined;
  }

  /** An operation that creates nothing has done something to what it was given, such as archiving it. */
  #noteAction({ id }: Operation, { uses }: Prepared): void {
    this.#actions.add(id);
    for (const object of uses) if (object.kind !== userKind) object.isSpent = true;
  }

  async #createAll(): Promise<void> {
    const posts = this.#operations.filter(({ method, id }) => method === "POST" && !this.#isCreator(id));
    const sorted = posts.toSorted((a, b) => a.path.split("{").length - b.path.split("{").length);
    for (let hasNew = true; hasNew; ) {
      hasNew = false;
      for (const operation of sorted) {
        if (this.#isCreator(operation.id) || this.#actions.has(operation.id)) continue;
        for (const owner of this.#users) {
          for (let count = 0; count < wanted; count++) {
            const object = await this.#createWith(owner, operation);
            if (count === 0) await this.#checkAlive(owner, operation);
            if (object === undefined) break;
            hasNew ||= !this.creators.has(object.kind);
            if (!this.creators.has(object.kind)) this.creators.set(object.kind, operation);
          }
        }
      }
    }
  }

  #isCreator(id: string): boolean {
    return [...this.creators.values()].some((operation) => operation.id === id);
  }

  async #readAll(): Promise<void> {
    for (const operation of this.#operations.filter(({ method }) => method === "GET")) {
      for (const [index, actor] of this.#users.entries()) {
        const needed = this.#builder.placesOf(operation).filter(({ isRequired }) => isRequired);
        const named = new Set(needed.flatMap((place) => this.#world.kindsOf(operation, place)));
        const own: FuzzedObject[] = [];
        for (const kind of this.creators.keys()) {
          const object = this.#world.pick(actor, kind) ?? (await this.create(actor, kind));
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
    const prepared = this.#builder.build(actor, operation, { focus });
    if (prepared === undefined) return;
    const step = await this.#exchange.send(actor, operation, prepared);
    if (!isSuccess(step.seen)) return;
    if (!this.#alive.has(actor) && (await this.#isGuarded(actor, operation, prepared))) {
      this.#alive.set(actor, operation);
    }
    if (selfPath.test(operation.path)) this.#learnSelf(step);
    for (const { id, idPath, kind, marker } of objects) {
      const node = findNode(step.seen.json, String(id), idPath);
      const isShown = node !== undefined || (marker !== "" && step.seen.text.includes(marker));
      if (!isShown && !named.has(kind)) continue;
      this.watchers.set(kind, (this.watchers.get(kind) ?? new Set()).add(operation));
      if (node === undefined) continue;
      const again = await this.#exchange.send(actor, operation, prepared);
      for (const name of changedFields(node, findNode(again.seen.json, String(id), idPath))) this.volatile.add(name);
    }
  }

  /** Whether credentials are needed; the document does not tell where a guard declares nothing. */
  async #isGuarded(actor: Actor, operation: Operation, prepared: Prepared): Promise<boolean> {
    const guest: Actor = { ...actor, name: "", headersFor: () => ({}) };
    return (await this.#exchange.send(guest, operation, prepared)).seen.status === 401;
  }

  #learnSelf({ actor, seen }: Step): void {
    const { json } = seen;
    if (!isObject(json) || !("id" in json)) return;
    if (typeof json.id === "string" || typeof json.id === "number") this.#world.addUser(actor, json.id);
  }

  /** Finds the bodies that updates and actions accept, and leaves an object of each actor in another state, such as published. */
  async #changeAll(): Promise<void> {
    const changes = this.#operations.filter(
      ({ method, id }) => ["PUT", "PATCH", "POST"].includes(method) && !this.#isCreator(id) && !this.#actions.has(id),
    );
    for (const operation of changes) {
      for (const owner of this.#users) await this.#change(owner, operation);
    }
  }

  async #change(owner: Actor, operation: Operation): Promise<void> {
    const place = this.#builder.placesOf(operation).findLast(({ isRequired }) => isRequired);
    const [kind = userKind] = place === undefined ? [] : this.#world.kindsOf(operation, place);
    const focus = kind === userKind ? undefined : await this.create(owner, kind);
    const known = this.#builder.accepted.get(operation.id);
    const count = operation.body === undefined ? 1 : attempts;
    for (const attempt of known === undefined ? Array.from({ length: count }, (_, index) => index) : [known]) {
      const marker = focus?.marker || this.#builder.createMarker(); // its own text stays
      const prepared = this.#builder.build(owner, operation, { focus, attempt, marker, turn: 1 });
      if (prepared === undefined) return;
      const step = await this.#exchange.send(owner, operation, prepared);
      if (!isSuccess(step.seen)) continue;
      this.#builder.accepted.set(operation.id, attempt);
      if (focus !== undefined) this.#world.setAside(focus);
      return this.#checkAlive(owner, operation);
    }
  }

  /** An operation without an id, such as that of the user's own account, is left out. */
  async #deleteAll(): Promise<void> {
    for (const operation of this.#operations.filter(({ method }) => method === "DELETE")) {
      const place = this.#builder.placesOf(operation).findLast((one) => one.in === "path");
      const [kind = userKind] = place === undefined ? [] : this.#world.kindsOf(operation, place);
      if (kind === userKind || this.deleters.has(kind)) continue;
      this.deleters.set(kind, operation);
      let count = 0;
      for (const owner of this.#users) count += (await this.createDeleted(owner, kind)) === undefined ? 0 : 1;
      if (count === 0) this.deleters.delete(kind);
    }
  }

  /** A run whose actor is logged out would show nothing. */
  async #checkAlive(actor: Actor, operation: Operation): Promise<void> {
    const read = this.#alive.get(actor);
    const prepared = read && this.#builder.build(actor, read);
    if (read === undefined || prepared === undefined || operation.method === "GET") return;
    const { seen } = await this.#exchange.send(actor, read, prepared);
    if (seen.status !== 401) return;
    throw new Error(
      `fuzzAccess(): ${operation.id} has ended the credentials of ${actor.name}: ${read.id} responds 401 since then. Name it in the option skip: ["${operation.id}"].`,
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
