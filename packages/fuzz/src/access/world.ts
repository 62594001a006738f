import type { Operation } from "../operation.ts";
import type { Actor } from "./actors.ts";
import { fieldOf, findValues } from "./ids.ts";
import { labelOf, nameOf, type Place, toFitting, toSegments } from "./places.ts";
import { around, type FuzzedObject, type Step } from "./step.ts";

export const userKind = "user";

/** A field by which requests name the objects of a kind: `.id`, `.slug`, `location`. */
export interface Identity {
  readonly kind: string;
  readonly path: string;
}

const mostPaths = 4; // fields of a kind that may be identities
const mostGuesses = 8; // identities for a place

/** What the actors have, by their own requests, and which places take it. */
export class World {
  readonly objects: FuzzedObject[] = [];
  readonly users = new Map<Actor, FuzzedObject>();
  /** Fields that hold the id of the user who has created an object. */
  readonly ownerFields = new Set<string>();
  /** By kind. */
  readonly creators = new Map<string, Operation>();
  /** The paths of which a PUT takes any id, with an object of that id or without one. */
  readonly chosen = new Set<string>();
  readonly #identities = new Map<string, readonly string[]>();
  /** The kind whose id a field repeats: `project_id`. */
  readonly #links = new Map<string, string>();
  /** By operation and place, and by path up to a parameter: what requests have succeeded with. */
  readonly #known = new Map<string, Identity>();

  /** The object that a request has created; undefined where the response shows no new one. */
  register(step: Step, marker: string, turn: number): FuzzedObject | undefined {
    const { actor, operation, request, seen } = step;
    const values = findValues(seen.json);
    const segment = decodeURIComponent(/\/([^/?#]*\d[^/?#]*)(?:[?#].*)?$/.exec(seen.location)?.[1] ?? "");
    if (segment !== "" && ![...values.values()].map(String).includes(segment)) values.set("location", segment);
    const isKnown = ({ owner, idPath, id, marker: text }: FuzzedObject) =>
      owner === actor &&
      (String(id).length >= 8 || (text !== "" && seen.text.includes(text))) &&
      [...values].some(([path, value]) => fieldOf(path) === fieldOf(idPath) && String(value) === String(id));
    const sent = new Set([...findValues(request.body)].map(([path, value]) => `${fieldOf(path)} ${value}`));
    const isSent = ([path, value]: [string, string | number]) => sent.has(`${fieldOf(path)} ${value}`);
    const kind = operation.id;
    const fresh = [...values].filter((entry) => seen.status === 201 || !isSent(entry));
    const ranked = fresh.toSorted((a, b) => rank(a[0], isSent(a)) - rank(b[0], isSent(b)));
    const settled = this.#identities.get(kind)?.[0];
    const [main] = ranked.toSorted((a, b) => Number(b[0] === settled) - Number(a[0] === settled));
    if (main === undefined || this.objects.some((one) => one.kind !== kind && isKnown(one))) return undefined;
    const [idPath, id] = main;
    if (this.find(actor, id, kind) !== undefined) return undefined;
    const isMarked = JSON.stringify([request.body, request.params]).includes(marker);
    const name = (toSegments(operation.path).at(-1) ?? kind).toLowerCase().replace(/s$/, "");
    const rest = { created: step, turn, deletion: undefined, isSpent: false };
    const all = new Map([...ranked, ...values]);
    const object = { id, idPath, kind, name, owner: actor, marker: isMarked ? marker : "", values: all, ...rest };
    this.objects.push(object);
    this.creators.set(kind, operation);
    return object;
  }

  /** How many kinds of objects are known, with that of the users. */
  get kinds(): number {
    return this.#identities.size;
  }

  /** Compares the objects of a kind: their identities differ, and repeat no other object's. False where there are none. */
  settle(kind: string): boolean {
    const all = kind === userKind ? [...this.users.values()] : this.objects.filter((one) => one.kind === kind);
    const paths = [...new Set(all.flatMap(({ values }) => [...values.keys()]))].filter((path) => {
      const link = this.#linkOf(all, path);
      if (link !== undefined) this.#links.set(fieldOf(path), link);
      const own = all.map(({ owner, values }) => `${owner.name} ${values.get(path)}`);
      const isDistinct = new Set(own).size === all.length;
      const isVaried = all.length === 1 || new Set(all.map(({ values }) => values.get(path))).size > 1;
      return link === undefined && isDistinct && isVaried && all.every(({ values }) => values.has(path));
    });
    const [main] = paths;
    this.#identities.set(kind, paths.slice(0, mostPaths));
    if (main === undefined) {
      this.creators.delete(kind);
      this.objects.splice(0, this.objects.length, ...this.objects.filter((one) => one.kind !== kind));
      return false;
    }
    for (const one of kind === userKind ? [] : all) {
      one.id = one.values.get(main) ?? one.id;
      one.idPath = main;
    }
    return true;
  }

  #linkOf(all: readonly FuzzedObject[], path: string): string | undefined {
    const linked = (one: FuzzedObject) =>
      [...around(one), this.users.get(one.owner)].filter(
        (other) => other !== undefined && other !== one && String(other.id) === String(one.values.get(path)),
      );
    const kinds = all.map((one) => linked(one).map((other) => other?.kind));
    const isRepeated = new Set(all.map((one) => String(one.values.get(path)))).size < all.length || all.length > 2;
    return isRepeated ? kinds[0]?.find((kind) => kinds.every((one) => one.includes(kind))) : undefined;
  }

  /** A number may be the id of objects of several kinds; a longer text is the id of one. */
  find(owner: Actor, id: string | number, kind: string): FuzzedObject | undefined {
    const text = String(id);
    return this.objects.find(
      (one) => one.owner === owner && String(one.id) === text && (one.kind === kind || text.length >= 8),
    );
  }

  /** The newest object of a kind that can still be used. */
  pick(owner: Actor, kind: string, except: ReadonlySet<FuzzedObject> = new Set()): FuzzedObject | undefined {
    if (kind === userKind) return this.users.get(owner);
    return this.usable(owner, kind).findLast((one) => !except.has(one));
  }

  /** Whether its id is also that of an object of another kind. */
  isAmbiguous({ id, kind }: FuzzedObject): boolean {
    const isSame = (one: FuzzedObject) => one.kind !== kind && String(one.id) === String(id);
    return String(id).length < 8 && this.objects.some(isSame);
  }

  usable(owner: Actor, kind: string): FuzzedObject[] {
    const isUsable = (one: FuzzedObject) => one.deletion === undefined && !one.isSpent;
    return this.objects.filter(
      (one) => one.owner === owner && one.kind === kind && isUsable(one) && around(one).every(isUsable),
    );
  }

  pickDeleted(owner: Actor, kind: string): FuzzedObject | undefined {
    return this.objects.findLast(
      (one) => one.owner === owner && one.kind === kind && one.deletion !== undefined && !one.isSpent,
    );
  }

  /** Lets others be picked first: its state is not the one that objects begin with. */
  setAside(object: FuzzedObject): void {
    this.objects.unshift(...this.objects.splice(this.objects.indexOf(object), 1));
  }

  learn(operation: Operation, place: Place, identity: Identity): void {
    for (const key of toKeys(operation, place)) this.#known.set(key, this.#known.get(key) ?? identity);
  }

  /** What a place takes, or a parameter after the same path of another operation. */
  knownOf(operation: Operation, place: Place): Identity | undefined {
    return toKeys(operation, place)
      .map((key) => this.#known.get(key))
      .find((one) => one !== undefined);
  }

  /** What a place takes, else what it may take. */
  identitiesOf(operation: Operation, place: Place): readonly Identity[] {
    const known = this.knownOf(operation, place);
    return known === undefined ? this.guess(operation, place) : [known];
  }

  /** All identities that fit, in the order in which they are tried: names decide nothing else. */
  guess(operation: Operation, place: Place): Identity[] {
    const fits = ({ kind, path }: Identity) => {
      const [one] = kind === userKind ? this.users.values() : this.objects.filter((object) => object.kind === kind);
      const value = one?.values.get(path);
      return value !== undefined && toFitting(place, value) !== undefined;
    };
    const name = nameOf(place);
    const all = [...this.#identities].flatMap(([kind, paths]) =>
      paths.map((path, index) => {
        const isNamed = fieldOf(path) === name && name !== "id";
        const score = this.#closeness(operation, place, kind) * 10 + (isNamed ? 55 : 0) - index;
        return { kind, path, score };
      }),
    );
    return all
      .filter(fits)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, mostGuesses);
  }

  /** Ids, and what like a slug the application has chosen: not titles. */
  guessIds(operation: Operation, place: Place): Identity[] {
    return this.guess(operation, place).filter(({ kind, path }) => {
      const body = this.objects.find((one) => one.kind === kind)?.created?.request.body;
      const isSent = [...findValues(body).keys()].some((one) => fieldOf(one) === fieldOf(path));
      const isText = /\s/.test(String(this.objects.find((one) => one.kind === kind)?.values.get(path)));
      return this.#identities.get(kind)?.[0] === path || (!isSent && !isText);
    });
  }

  /** Whether a place is named like the id of another object, or has its form. */
  isLikely(place: Place): boolean {
    return this.#links.has(nameOf(place)) || place.schema.format === "uuid";
  }

  #closeness({ path }: Operation, place: Place, kind: string): number {
    const name = nameOf(place);
    if (this.#links.get(name) === kind) return 50;
    const creator = this.creators.get(kind);
    const noun = this.#nounOf(kind);
    if (place.in !== "path") return common(name, noun) * 2 + (creator && path.startsWith(creator.path) ? 3 : 0);
    const before = path.slice(0, path.indexOf(`/{${name}}`));
    if (creator?.path === before) return 40;
    return Math.max(common(name, noun), common(before.split("/").at(-1) ?? "", noun)) * 2;
  }

  /** All kinds, those that the path of an operation names first. */
  kindsNear({ path }: Pick<Operation, "path">): string[] {
    const segments = toSegments(path);
    const score = (kind: string) => Math.max(0, ...segments.map((one) => common(one, this.#nounOf(kind))));
    return [...this.creators.keys()].toSorted((a, b) => score(b) - score(a));
  }

  #nounOf(kind: string): string {
    return toSegments(this.creators.get(kind)?.path ?? kind).at(-1) ?? "";
  }

  /** Finds the users' own ids: those in what they have created that are the same for each and differ between them. */
  learnUsers(): void {
    const names = new Set(this.objects.flatMap(({ values }) => [...values.keys()].map(fieldOf)));
    for (const name of names) {
      const byActor = Map.groupBy(
        this.objects.filter((one) => unsent(one, name) !== undefined),
        ({ owner }) => owner,
      );
      const users = [...byActor].map(([actor, all]) => [actor, new Set(all.map((one) => unsent(one, name)))] as const);
      const ids = users.flatMap(([, values]) => [...values]);
      const isOwn = users.every(([, values]) => values.size === 1) && new Set(ids).size === users.length;
      if (!isOwn || users.length < 2 || ids.some((id) => this.objects.some((one) => String(one.id) === String(id))))
        continue;
      this.ownerFields.add(name);
      for (const [actor, [id = ""]] of users) this.addUser(actor, new Map([[`.${name}`, id]]));
    }
    if (this.users.size === 0) return;
    for (const kind of [userKind, ...this.creators.keys()]) this.settle(kind); // their fields may repeat the id of a user
  }

  addUser(owner: Actor, values: ReadonlyMap<string, string | number>): void {
    const known = this.users.get(owner)?.values ?? [];
    const all = new Map([...known, ...values].toSorted((a, b) => rank(a[0]) - rank(b[0])));
    const [[, id] = ["", ""]] = all;
    const rest = { marker: "", created: undefined, idPath: "", turn: 0, deletion: undefined, isSpent: false };
    this.users.set(owner, { id, kind: userKind, name: "id", owner, values: all, ...rest });
  }
}

/** The second is that of all operations with the same path up to a parameter. */
function toKeys({ id, path }: Operation, place: Place): string[] {
  const [before = ""] = path.split(`{${nameOf(place)}}`);
  return [`${id} ${labelOf(place)}`, ...(place.in === "path" ? [before + nameOf(place)] : [])];
}

/** How many characters two words begin with. */
function common(one: string, other: string): number {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  const index = [...a].findIndex((letter, at) => letter !== b[at]);
  return index < 0 ? a.length : index;
}

/** The order in which fields are taken for an identity. */
function rank(path: string, isSent = false): number {
  const name = fieldOf(path);
  const depth = path.split(/[.[]/).length;
  return depth + (isSent ? 40 : 0) + (name === "id" ? 0 : /id$|slug|key|code|number|name/i.test(name) ? 10 : 20);
}

/** The value of a field that the creation has returned although it was not sent. */
function unsent({ values, created }: FuzzedObject, name: string): string | number | undefined {
  const value = [...values].find(([path]) => fieldOf(path) === name)?.[1];
  const sent = JSON.stringify([created?.request.body, created?.request.params]);
  return value === undefined || sent.includes(JSON.stringify(value)) ? undefined : value;
}
