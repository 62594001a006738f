import type { Operation } from "../operation.ts";
import type { Pair } from "./actors.ts";
import type { Attack, AttackTools, Mode } from "./attack.ts";
import { type Choice, toValue } from "./builder.ts";
import { normalise, toUnknown } from "./ids.ts";
import { differ, type Verdict } from "./oracle.ts";
import { labelOf, type Place } from "./places.ts";
import { type FuzzedObject, isSuccess, type Prepared, type Step } from "./step.ts";
import { userKind } from "./world.ts";

interface IdAttackOptions {
  /** Which ids of a request are the owner's: the one at the place, or all of them. */
  readonly scope: "one" | "all";
  /** Whether the owner has deleted the object before. */
  readonly isDeleted?: boolean;
  /** Whether the foreign id is the first of a list of ids. Defaults to false: after the attacker's own. */
  readonly isFirst?: boolean;
}

/** The id of another actor's object at one place of a request. */
export class IdAttack implements Attack {
  readonly operation: Operation;
  readonly label: string;
  readonly #place: Place;
  readonly #scope: IdAttackOptions["scope"];
  readonly #isDeleted: boolean;
  readonly #isFirst: boolean;
  readonly #tools: AttackTools;

  constructor(
    tools: AttackTools,
    operation: Operation,
    place: Place,
    { scope, isDeleted = false, isFirst = false }: IdAttackOptions,
  ) {
    this.#tools = tools;
    this.operation = operation;
    this.#place = place;
    this.#scope = scope;
    this.#isDeleted = isDeleted;
    this.#isFirst = isFirst;
    const notes = [operation.method === "HEAD" ? "HEAD" : "", isDeleted ? "of a deleted object" : ""];
    this.label = [labelOf(place), ...notes].filter((part) => part !== "").join(" ");
  }

  async run(pair: Pair, mode: Mode): Promise<Verdict[]> {
    const sent = new Set<Step>();
    const verdicts = await this.#attack(pair, mode, sent);
    const isAccepted = [...sent].some(({ seen }) => isSuccess(seen));
    if (verdicts.length > 0 || !isAccepted || this.#isRead) return verdicts;
    return this.#attack(pair, { ...mode, isFresh: true }, sent); // the first may have had these values before
  }

  get #isRead(): boolean {
    return ["GET", "HEAD"].includes(this.operation.method);
  }

  async #attack(pair: Pair, mode: Mode, sent: Set<Step>): Promise<Verdict[]> {
    const { oracle, world } = this.#tools;
    const target = await this.#findTarget(pair, mode);
    // an id such as the name of a file may be the attacker's too
    if (target === undefined || world.find(pair.attacker, target.id, target.kind) !== undefined) return [];
    const value = toValue(this.#place, target) as string | number; // an id, or a field that is named like one
    const unknown = toUnknown(value, this.#tools.random);
    const marker = this.#tools.builder.createMarker();
    const hit = await this.#prepare(pair, target, value, marker);
    if (hit === undefined) return [];
    const verdicts = this.#isRead
      ? await this.#read(pair, target, value, unknown, hit, mode)
      : await this.#write(pair, target, value, unknown, hit, marker, sent);
    const found: Verdict[] = [];
    for (const verdict of verdicts) {
      // what it shows of other objects was checked already
      const isOfTarget = verdict.objects.every((one) => one === target);
      const isHarmless = isOfTarget && ["read", "existence", "attach"].includes(verdict.kind);
      // users are named by others in many ways: as a member, as the recipient of a message
      const isUser = target.kind === userKind && this.#place.in !== "path";
      if (isHarmless && (isUser || (await oracle.isPublic(pair.attacker, target)))) continue;
      found.push(verdict);
    }
    if (!this.#isRead && target.kind !== userKind && found.length > 0) target.isSpent = true;
    return found;
  }

  async #findTarget({ owner }: Pair, { isFresh }: Mode): Promise<FuzzedObject | undefined> {
    const { world, setup } = this.#tools;
    for (const kind of world.kindsOf(this.operation, this.#place)) {
      if (this.#isDeleted) {
        const deleted = isFresh ? undefined : world.pick(owner, kind, { isDeleted: true });
        const object = deleted ?? (await setup.createDeleted(owner, kind));
        if (object !== undefined) return object;
        continue;
      }
      const object = isFresh ? await setup.create(owner, kind) : undefined;
      const found = object ?? world.pick(owner, kind) ?? (await setup.create(owner, kind));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The attacker's request with a given id. Own objects are new ones where a request could use them up. */
  async #prepare(
    { attacker }: Pair,
    target: FuzzedObject,
    value: string | number,
    marker: string,
  ): Promise<Prepared | undefined> {
    const { builder, world, setup } = this.#tools;
    const places = builder.placesOf(this.operation).filter(({ isRequired }) => isRequired);
    const last = places.findLast((place) => place !== this.#place);
    const [kind = ""] = last === undefined ? [] : world.kindsOf(this.operation, last);
    const pickOwn = async (one: string) => {
      const created = this.#isRead || attacker.isGuest ? undefined : await setup.create(attacker, one);
      const found = created ?? world.pick(attacker, one);
      if (created !== undefined) created.isSpent = true; // its owner may see what it then belongs to
      return found;
    };
    const own = this.#scope === "one" && last !== undefined ? await pickOwn(kind) : undefined;
    const beside = this.#place.isList ? await pickOwn(target.kind) : undefined;
    const ids = [...(beside === undefined ? [] : [beside.id]), value];
    const choice: Choice = {
      focus: this.#scope === "all" || attacker.isGuest ? target : own,
      replaced: new Map([[this.#place, this.#place.isList ? (this.#isFirst ? ids.reverse() : ids) : value]]),
      marker,
      turn: target.turn + 1,
    };
    const prepared = builder.build(attacker, this.operation, choice);
    const uses = [...(prepared?.uses ?? []), target, ...(beside === undefined ? [] : [beside])];
    return prepared && { ...prepared, uses: [...new Set(uses)] };
  }

  async #read(
    pair: Pair,
    target: FuzzedObject,
    value: string | number,
    unknown: string | number,
    hitRequest: Prepared,
    { isWarm }: Mode,
  ): Promise<Verdict[]> {
    const { exchange, builder, oracle } = this.#tools;
    const { owner, attacker } = pair;
    const ownRequest = builder.build(owner, this.operation, {
      focus: target,
      replaced: new Map([[this.#place, value]]),
    });
    const own = isWarm && ownRequest ? await exchange.send(owner, this.operation, ownRequest) : undefined;
    const before = own === undefined ? [] : [own];
    const hit = await exchange.send(attacker, this.operation, hitRequest);
    const leaks = await oracle.findLeaks(hit);
    if (leaks.length > 0) {
      const evidence = `${hit.seen.status}, with what ${leaks[0]?.owner.name} has created`;
      return [{ kind: "read", evidence, steps: [...before, hit], objects: [...new Set([...leaks, target])] }];
    }
    const missRequest = await this.#prepare(pair, target, unknown, builder.createMarker());
    if (missRequest === undefined) return [];
    const miss = await exchange.send(attacker, this.operation, missRequest);
    if (!differ(hit.seen, [value], miss.seen, [unknown])) return [];
    const steps = [...before, hit, miss];
    const isSame =
      own !== undefined &&
      isSuccess(hit.seen) &&
      hit.seen.text.length > 2 &&
      normalise(own.seen.text, [value]) === normalise(hit.seen.text, [value]);
    if (isSame) return [{ kind: "read", evidence: `the same response as for ${owner.name}`, steps, objects: [target] }];
    return [{ kind: "existence", evidence: describeDifference(hit, miss), steps, objects: [target] }];
  }

  async #write(
    pair: Pair,
    target: FuzzedObject,
    value: string | number,
    unknown: string | number,
    hitRequest: Prepared,
    marker: string,
    sent: Set<Step>,
  ): Promise<Verdict[]> {
    const { exchange, oracle, builder } = this.#tools;
    const before = await oracle.look(pair.owner, target);
    const hit = await exchange.send(pair.attacker, this.operation, hitRequest);
    sent.add(hit);
    const after = await oracle.look(pair.owner, target);
    const effect = oracle.compare(target, before, after, marker);
    if (effect !== undefined) return [{ ...effect, steps: [hit, ...effect.steps] }];
    const leaks = await oracle.findLeaks(hit);
    if (leaks.length > 0) {
      return [
        {
          kind: "read",
          evidence: `${hit.seen.status}, with what ${leaks[0]?.owner.name} has created`,
          steps: [hit],
          objects: [...new Set([...leaks, target])],
        },
      ];
    }
    const missRequest = await this.#prepare(pair, target, unknown, builder.createMarker());
    if (missRequest === undefined) return [];
    const miss = await exchange.send(pair.attacker, this.operation, missRequest);
    if (!differWithoutMarkers(hit, marker, value, miss, unknown)) return [];
    const isAccepted = isSuccess(hit.seen) && !isSuccess(miss.seen);
    const isCreating = this.#place.in === "body" || this.operation.method === "POST";
    return [
      {
        kind: isAccepted && isCreating ? "attach" : "existence",
        evidence: describeDifference(hit, miss),
        steps: [hit, miss],
        objects: [target],
      },
    ];
  }
}

/** Two bodies that echo what was sent differ by their markers only. */
function differWithoutMarkers(
  hit: Step,
  marker: string,
  value: string | number,
  miss: Step,
  unknown: string | number,
): boolean {
  if (hit.seen.status !== miss.seen.status) return true;
  if (isSuccess(hit.seen)) return false; // both were accepted, and created or changed something of the attacker's own
  return differ(hit.seen, [value, marker], miss.seen, [unknown]);
}

function describeDifference(hit: Step, miss: Step): string {
  if (hit.seen.status === miss.seen.status) return "the body differs from that of an unknown id";
  return `${hit.seen.status}, but ${miss.seen.status} for an unknown id`;
}
