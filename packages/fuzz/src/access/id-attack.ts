import type { Operation } from "../operation.ts";
import type { Pair } from "./actors.ts";
import type { Attack, AttackTools, Mode } from "./attack.ts";
import { toValue } from "./builder.ts";
import { differ, normalise } from "./ids.ts";
import { refused, valueAt } from "./learner.ts";
import { toRead } from "./list-attack.ts";
import { labelOf, type Place, replaceAt, toFitting } from "./places.ts";
import { type FuzzedObject, isSuccess, type Prepared, type Step, type Verdict } from "./step.ts";
import { type Identity, userKind } from "./world.ts";

interface IdAttackOptions {
  readonly place: Place;
  readonly identity: Identity;
  /** Which ids of a request are the owner's: the one at the place, or all of them. */
  readonly scope: "one" | "all";
  /** Whether the owner has deleted the object before. */
  readonly isDeleted?: boolean;
  /** Whether the foreign id is the first of a list of ids. Defaults to false: after the attacker's own. */
  readonly isFirst?: boolean;
  /** Whether no own id was seen to make a difference there: it may be any text. */
  readonly isGuess?: boolean;
}

/** A request with the id of an object, and an unknown one to compare it with. */
interface Sending {
  readonly pair: Pair;
  readonly target: FuzzedObject;
  readonly value: string | number;
  readonly unknown: string | number;
  readonly hit: Prepared;
  readonly marker: string;
}

/** The id of another actor's object at one place of a request. */
export class IdAttack implements Attack {
  readonly operation: Operation;
  readonly label: string;
  readonly #options: IdAttackOptions;
  readonly #tools: AttackTools;

  constructor(tools: AttackTools, operation: Operation, options: IdAttackOptions) {
    this.#tools = tools;
    this.operation = operation;
    this.#options = options;
    const { place, isDeleted } = options;
    const notes = [operation.method === "HEAD" ? "HEAD" : "", isDeleted ? "of a deleted object" : ""];
    this.label = [labelOf(place), ...notes].filter((part) => part !== "").join(" ");
  }

  async run(pair: Pair, mode: Mode): Promise<Verdict[]> {
    if (this.#options.isGuess && pair.attacker.isGuest) return [];
    const sent = new Set<Step>();
    const verdicts = await this.#attack(pair, mode, sent);
    const isAccepted = [...sent].some(({ seen }) => isSuccess(seen));
    if (verdicts.length === 0 && this.#mayBeShared) verdicts.push(...(await this.#attack(pair, mode, sent, true)));
    if (verdicts.length > 0 || !isAccepted || this.#isRead || this.#options.isGuess) return verdicts;
    return this.#attack(pair, { ...mode, isFresh: true }, sent); // the first may have had these values before
  }

  get #isRead(): boolean {
    return ["GET", "HEAD"].includes(this.operation.method);
  }

  /** Whether it changes or deletes what may be shown to all. */
  get #mayBeShared(): boolean {
    const { method, path } = this.operation;
    return this.#tools.oracle.hasConditions && ["PUT", "PATCH", "DELETE"].includes(method) && path.endsWith("}");
  }

  async #attack(pair: Pair, mode: Mode, sent: Set<Step>, isShared = false): Promise<Verdict[]> {
    const { oracle, world, builder, exchange } = this.#tools;
    const { place, identity } = this.#options;
    const target = await this.#findTarget(pair, mode, isShared);
    if (target === undefined) return [];
    if (world.find(pair.attacker, target.id, target.kind) !== undefined) {
      exchange.attacked.add(this.operation.id); // ids such as the names of files are those of each user
      return [];
    }
    const value = toValue(place, identity, target);
    const unknown = value === undefined ? undefined : toFitting(place, builder.createUnknown(value));
    if (value === undefined || unknown === undefined) return [];
    const marker = builder.createMarker();
    const hit = await this.#prepare(pair, target, value, marker);
    if (hit === undefined) return [];
    const sending = { pair, target, value, unknown, hit, marker };
    const verdicts = this.#isRead ? await this.#read(sending, mode, sent) : await this.#write(sending, sent);
    // where the client chooses the id, that of another kind is only a new one
    const creator = world.creators.get(identity.kind)?.path ?? "";
    const isForeign = !world.chosen.has(this.operation.path) || this.operation.path.startsWith(`${creator}/`);
    // what was refused for its other values says nothing about the id
    if (isForeign && [...sent].some(({ seen }) => !refused.includes(seen.status)))
      exchange.attacked.add(this.operation.id);
    const found: Verdict[] = [];
    for (const verdict of verdicts) {
      // what it shows of other objects was checked already
      const isOfTarget = verdict.objects.every((one) => one === target);
      const isHarmless = isOfTarget && ["read", "existence", "attach"].includes(verdict.kind);
      // users are named by others in many ways: as a member, as the recipient of a message
      const isUser = target.kind === userKind && (place.in === "body" || verdict.kind === "existence");
      if (isHarmless && (isUser || (await oracle.isPublic(pair.attacker, target)))) continue;
      found.push(verdict);
    }
    if (!this.#isRead && target.kind !== userKind && found.length > 0) target.isSpent = true;
    return found;
  }

  async #findTarget(
    { owner, attacker }: Pair,
    { isFresh }: Mode,
    isShared: boolean,
  ): Promise<FuzzedObject | undefined> {
    const { world, setup, learner, oracle } = this.#tools;
    const { kind } = this.#options.identity;
    if (this.#options.isDeleted) {
      const deleted = isFresh ? undefined : world.pickDeleted(owner, kind);
      return deleted ?? setup.createDeleted(owner, kind);
    }
    if (this.#options.isGuess && !this.#isRead && kind !== userKind) {
      const object = await learner.create(owner, kind);
      if (object !== undefined) object.isSpent = true; // where it is any text, the attacker's own objects show it
      return object;
    }
    if (oracle.hasConditions) {
      for (const one of world.usable(owner, kind).reverse()) {
        if ((await oracle.isPublic(attacker, one)) === isShared) return one;
      }
      if (isShared) return undefined;
    }
    return isFresh ? learner.renew(owner, kind) : learner.pick(owner, kind);
  }

  /** The attacker's request with a given id. Own objects are new ones where a request could use them up. */
  async #prepare(
    { attacker }: Pair,
    target: FuzzedObject,
    value: string | number,
    marker: string,
  ): Promise<Prepared | undefined> {
    const { builder, world, learner } = this.#tools;
    const { place, identity, scope, isFirst } = this.#options;
    const others = builder.placesOf(this.operation).filter((one) => one.isRequired && one !== place);
    const kind = others.flatMap((one) => builder.identityOf(this.operation, one)?.kind ?? []).at(-1);
    const pickOwn = async (one: string) => {
      const created = this.#isRead || attacker.isGuest ? undefined : await learner.create(attacker, one);
      const found = created ?? world.pick(attacker, one);
      if (created !== undefined) created.isSpent = true; // its owner may see what it then belongs to
      return found;
    };
    const own = scope === "one" && kind !== undefined ? await pickOwn(kind) : undefined;
    const beside = place.isList ? await pickOwn(target.kind) : undefined;
    const ids = [...(beside === undefined ? [] : [toValue(place, identity, beside) ?? beside.id]), value];
    const prepared = builder.build(attacker, this.operation, {
      focus: scope === "all" || attacker.isGuest ? target : own,
      replaced: new Map([[place, place.isList ? (isFirst ? ids.reverse() : ids) : value]]),
      marker,
      turn: target.turn + 1,
    });
    const uses = [...(prepared?.uses ?? []), target, ...(beside === undefined ? [] : [beside])];
    return prepared && { ...prepared, uses: [...new Set(uses)] };
  }

  async #read(
    { pair, target, value, unknown, hit: request }: Sending,
    { isWarm }: Mode,
    sent: Set<Step>,
  ): Promise<Verdict[]> {
    const { exchange, builder, oracle } = this.#tools;
    const { owner, attacker } = pair;
    const replaced = new Map([[this.#options.place, value]]);
    const own = isWarm ? await exchange.request(owner, this.operation, { focus: target, replaced }) : undefined;
    const before = own === undefined ? [] : [own];
    const hit = await exchange.send(attacker, this.operation, request);
    sent.add(hit);
    const leaks = await oracle.findLeaks(hit);
    if (leaks.length > 0) return toRead(leaks[0], [...before, hit], [...leaks, target]);
    const missRequest = await this.#prepare(pair, target, unknown, builder.createMarker());
    if (missRequest === undefined) return [];
    const miss = await exchange.send(attacker, this.operation, missRequest);
    if (!differ(hit.seen, [value], miss.seen, [unknown])) return [];
    // other numbers are not ids, and differ too
    if (this.#options.isGuess && typeof value === "number") return [];
    const steps = [...before, hit, miss];
    const isSame =
      own !== undefined &&
      isSuccess(hit.seen) &&
      hit.seen.text.length > 2 &&
      normalise(own.seen.text, [value]) === normalise(hit.seen.text, [value]);
    if (isSame) return [{ kind: "read", evidence: `the same response as for ${owner.name}`, steps, objects: [target] }];
    if (this.#options.isGuess) return [];
    return [{ kind: "existence", evidence: describeDifference(hit, miss), steps, objects: [target] }];
  }

  async #write({ pair, target, value, unknown, hit: request, marker }: Sending, sent: Set<Step>): Promise<Verdict[]> {
    const { oracle, builder } = this.#tools;
    const before = await oracle.look(pair.owner, target);
    const hit = await this.#send(pair, request, marker);
    sent.add(hit);
    const after = await oracle.look(pair.owner, target);
    const effect = oracle.compare(target, before, after, marker);
    if (effect !== undefined) return [{ ...effect, steps: [hit, ...effect.steps] }];
    const shown = this.#options.isGuess && target.kind !== userKind && oracle.isShown(hit, target) ? [target] : [];
    const leaks = [...shown, ...(await oracle.findLeaks(hit))];
    if (leaks.length > 0) return toRead(leaks[0], [hit], [...leaks, target]);
    const missRequest = this.#options.isGuess
      ? undefined
      : await this.#prepare(pair, target, unknown, builder.createMarker());
    if (missRequest === undefined) return [];
    const miss = await this.#send(pair, missRequest, marker);
    // two bodies that echo what was sent differ by their markers only
    const isSameStatus = hit.seen.status === miss.seen.status;
    // both were accepted, and created or changed something of the attacker's own
    if (isSameStatus && (isSuccess(hit.seen) || !differ(hit.seen, [value, marker], miss.seen, [unknown]))) return [];
    const isAccepted = isSuccess(hit.seen) && !isSuccess(miss.seen);
    const isCreating = this.#options.place.in === "body" || this.operation.method === "POST";
    const kind = isAccepted && isCreating ? "attach" : "existence";
    return [{ kind, evidence: describeDifference(hit, miss), steps: [hit, miss], objects: [target] }];
  }

  /** Where a write is refused for its other values, again with those that were accepted of the owner. */
  async #send({ owner, attacker }: Pair, prepared: Prepared, marker: string): Promise<Step> {
    const { exchange, learner } = this.#tools;
    const step = await exchange.send(attacker, this.operation, prepared);
    const like = learner.accepted.get(`${owner.name} ${this.operation.id}`);
    if (like === undefined || !refused.includes(step.seen.status)) return step;
    const { in: at, keys } = this.#options.place;
    const { request, uses } = prepared;
    // its text is not the owner's: it would show in what the attacker then creates
    const given: unknown = JSON.parse(JSON.stringify(like.request.body ?? null).replaceAll(like.marker, marker));
    const body = at === "body" ? replaceAt(given, keys, valueAt(request.body, keys)) : (given ?? undefined);
    const all = [...new Set([...uses, ...like.uses])];
    return exchange.send(attacker, this.operation, { request: { ...request, body }, uses: all });
  }
}

function describeDifference(hit: Step, miss: Step): string {
  if (hit.seen.status === miss.seen.status) return "the body differs from that of an unknown id";
  return `${hit.seen.status}, but ${miss.seen.status} for an unknown id`;
}
