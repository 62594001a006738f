import type { Operation } from "../operation.ts";
import type { Actor } from "./actors.ts";
import { findIds, isObject } from "./ids.ts";
import { isCursor, type Place, toNoun, toNouns, toSingular } from "./places.ts";
import { around, type FuzzedObject, isSuccess, type Step } from "./step.ts";

export const userKind = "user";
const userNoun = /^(?:user|owner|author|creator|account|member|assignee|customer|profile|person|recipient)$/;

/** What the actors have, by their own requests. */
export class World {
  readonly objects: FuzzedObject[] = [];
  readonly users = new Map<Actor, FuzzedObject>();
  /** Fields that hold the id of the user who has created an object. */
  readonly ownerFields = new Set<string>();
  /** The nouns of all paths. */
  readonly nouns = new Set<string>();
  /** By path of a collection: the parameter that comes after it. */
  readonly params = new Map<string, string>();
  readonly #cursors = new Map<string, string>();

  /** The object that a request has created; undefined where its id is not a new one. */
  register(step: Step, marker: string, turn: number): FuzzedObject | undefined {
    const found = createdId(step, this.params.get(step.operation.path));
    if (found === undefined || this.find(step.actor, found.id, toNoun(step.operation.path)) !== undefined)
      return undefined;
    const isMarked = JSON.stringify([step.request.body, step.request.params]).includes(marker);
    const object: FuzzedObject = {
      ...found,
      kind: toNoun(step.operation.path),
      owner: step.actor,
      marker: isMarked ? marker : "",
      created: step,
      turn,
      deletion: undefined,
      isSpent: false,
    };
    this.objects.push(object);
    return object;
  }

  /** A number may be the id of objects of several kinds; a longer text is the id of one. */
  find(owner: Actor, id: string | number, kind: string): FuzzedObject | undefined {
    const text = String(id);
    return this.objects.find(
      (one) => one.owner === owner && String(one.id) === text && (one.kind === kind || text.length >= 8),
    );
  }

  /** The newest object of a kind that can still be used. */
  pick(owner: Actor, kind: string, { isDeleted = false } = {}): FuzzedObject | undefined {
    if (kind === userKind && this.users.has(owner)) return this.users.get(owner);
    const isUsable = (one: FuzzedObject) => one.deletion === undefined && !one.isSpent;
    return this.objects.findLast(
      (one) =>
        one.owner === owner &&
        one.kind === kind &&
        (isDeleted ? one.deletion !== undefined && !one.isSpent : isUsable(one)) &&
        around(one).every(isUsable),
    );
  }

  /** Lets others be picked first: its state is not the one that objects begin with. */
  setAside(object: FuzzedObject): void {
    this.objects.unshift(...this.objects.splice(this.objects.indexOf(object), 1));
  }

  /** The kinds of the objects that a place takes, by its name, else by the path. */
  kindsOf({ path }: Operation, place: Place): string[] {
    const known = new Set(this.objects.map(({ kind }) => kind));
    if (isCursor(place)) return [];
    if (known.has(place.noun)) return [place.noun];
    const close = [...known].filter((kind) => kind.endsWith(`_${place.noun}`) || place.noun.endsWith(`_${kind}`));
    if (place.noun !== "" && close.length > 0) return close;
    if (userNoun.test(place.noun)) return this.users.size > 0 ? [userKind] : [];
    return this.kindsNear({ path });
  }

  /** Whether the application has objects that a place is named after. */
  isNamed({ noun }: Place): boolean {
    const isClose = (one: string) => one === noun || one.endsWith(`_${noun}`) || noun.endsWith(`_${one}`);
    return noun === "" || userNoun.test(noun) || [...this.nouns].some(isClose);
  }

  learnPaths(operations: readonly Operation[]): void {
    for (const { path } of operations) {
      for (const noun of toNouns(path)) this.nouns.add(toSingular(noun));
      for (const { 1: name = "", index } of path.matchAll(/\/\{([^}]+)\}/g))
        this.params.set(path.slice(0, index), name);
    }
  }

  /** The kind that a path names last; all kinds where it names none. */
  kindsNear({ path }: Pick<Operation, "path">): string[] {
    const known = new Set(this.objects.map(({ kind }) => kind));
    const near = toNouns(path)
      .map(toSingular)
      .filter((noun) => known.has(noun));
    return near.length > 0 ? near.slice(0, 1) : [...known];
  }

  keepCursor({ actor, operation, seen }: Step): void {
    const linked = /[?&](?:cursor|after|page_?token)=([^&>]+)[^>]*>;\s*rel="?next/i.exec(seen.link)?.[1];
    const fields = isObject(seen.json) && !Array.isArray(seen.json) ? Object.entries(seen.json) : [];
    const [, named] = fields.find(([name, value]) => /^next|cursor/i.test(name) && typeof value === "string") ?? [];
    const cursor = linked === undefined ? named : decodeURIComponent(linked);
    if (typeof cursor === "string") this.#cursors.set(`${actor.name} ${operation.id}`, cursor);
  }

  cursorOf(actor: Actor, operation: Operation): string | undefined {
    return this.#cursors.get(`${actor.name} ${operation.id}`);
  }

  /** Finds the users' own ids: those in what they have created that are the same for each and differ between them. */
  learnUsers(): void {
    const names = new Set(this.objects.flatMap(({ fields }) => findIds(fields).map(({ name }) => name)));
    const ranked = [...names].filter((name) => name !== "id").toSorted((a, b) => rank(a) - rank(b));
    for (const name of ranked) {
      const byActor = Map.groupBy(
        this.objects.filter((one) => isUnsent(one, name)),
        ({ owner }) => owner,
      );
      const users = [...byActor].map(
        ([actor, objects]) => [actor, new Set(objects.map((one) => one.fields[name]))] as const,
      );
      const ids = users.flatMap(([, values]) => [...values]);
      const isOwn = users.every(([, values]) => values.size === 1) && new Set(ids).size === users.length;
      if (!isOwn || users.length < 2 || ids.some((id) => this.objects.some((one) => String(one.id) === String(id))))
        continue;
      this.ownerFields.add(name);
      for (const [actor, [id]] of users) this.addUser(actor, id as string | number); // findIds() returns no others
    }
  }

  addUser(owner: Actor, id: string | number): void {
    if (this.users.has(owner)) return;
    const rest = {
      marker: "",
      created: undefined,
      idPath: "",
      fields: {},
      turn: 0,
      deletion: undefined,
      isSpent: false,
    };
    this.users.set(owner, { id, kind: userKind, owner, ...rest });
  }
}

function rank(name: string): number {
  return /user|owner|author|creat|account/i.test(name) ? 0 : 1;
}

/** Whether the creation has returned this field although it was not sent. */
function isUnsent({ fields, created }: FuzzedObject, name: string): boolean {
  const value = fields[name];
  if (typeof value !== "string" && typeof value !== "number") return false;
  return !JSON.stringify([created?.request.body, created?.request.params]).includes(JSON.stringify(value));
}

function createdId(
  { seen }: Step,
  param: string | undefined,
): Pick<FuzzedObject, "id" | "idPath" | "fields"> | undefined {
  if (!isSuccess(seen)) return undefined;
  const found = findIds(seen.json).find(({ name, path }) => name === "id" && path.split(".").length <= 3);
  if (found !== undefined) {
    const keys = found.path
      .replaceAll(/\[(\d+)\]/g, ".$1")
      .split(".")
      .filter((key) => key !== "")
      .slice(0, -1);
    const node = keys.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], seen.json); // as findIds() walked
    return { id: found.value, idPath: found.path, fields: node as Readonly<Record<string, unknown>> }; // it has an id
  }
  const named = param === undefined ? undefined : findNamed(seen.json, [param, "uuid", "slug", "key", "token"]);
  if (named !== undefined) return named;
  const segment = /\/([^/?#]+)(?:[?#].*)?$/.exec(seen.location)?.[1];
  if (segment === undefined || !/\d/.test(segment)) return undefined;
  return { id: decodeURIComponent(segment), idPath: "location", fields: {} };
}

/** An object without an `id` that has one of these fields, or is inside of one field, such as `data`. */
function findNamed(
  json: unknown,
  names: readonly string[],
): Pick<FuzzedObject, "id" | "idPath" | "fields"> | undefined {
  if (!isObject(json) || Array.isArray(json)) return undefined;
  const inner = Object.entries(json).map(([key, value]) => [`.${key}`, value as unknown] as const);
  for (const [path, node] of [["", json] as const, ...inner]) {
    if (!isObject(node) || Array.isArray(node)) continue;
    const fields = node as Readonly<Record<string, unknown>>; // checked
    const name = names.find((one) => typeof fields[one] === "string" || typeof fields[one] === "number");
    if (name !== undefined) return { id: fields[name] as string | number, idPath: `${path}.${name}`, fields }; // checked
  }
  return undefined;
}
