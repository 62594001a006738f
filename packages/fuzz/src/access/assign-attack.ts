import type { JsonSchema } from "@tenon/core/platform";
import { typesOf } from "../arbitrary.ts";
import type { Operation } from "../operation.ts";
import type { Actor, Pair } from "./actors.ts";
import type { Attack, AttackTools } from "./attack.ts";
import { findNode, isObject } from "./ids.ts";
import { type FuzzedObject, isSuccess, type Step, type Verdict } from "./step.ts";
import { Values } from "./values.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Fields that a body sets although it does not declare them, and the owner of an object. */
export class AssignAttack implements Attack {
  readonly operation: Operation;
  readonly label = "body";
  readonly #tools: AttackTools;

  constructor(tools: AttackTools, operation: Operation) {
    this.#tools = tools;
    this.operation = operation;
  }

  async run({ owner: other, attacker: actor }: Pair): Promise<Verdict[]> {
    if (actor.isGuest) return [];
    const base = await this.#send(actor, {});
    if (base === undefined || !isSuccess(base.seen) || !isObject(base.seen.json)) return [];
    return [...(await this.#assignFields(actor, base)), ...(await this.#assignOwner(actor, other))];
  }

  async #assignFields(actor: Actor, base: Step): Promise<Verdict[]> {
    const current = base.seen.json as Fields; // an object: run() has checked it
    const declared = new Set(Object.keys(this.operation.body?.fields ?? {}));
    const owners = this.#tools.world.ownerFields;
    const open = Object.entries(this.operation.returned).filter(([name]) => !declared.has(name) && !owners.has(name));
    const isBoolean = open.some(([name]) => typeof current[name] === "boolean");
    const control = (isBoolean ? await this.#send(actor, {}) : undefined)?.seen.json as Fields | undefined; // as the first
    const values = open
      // a boolean that the server toggles takes the sent value by itself
      .filter(([name]) => typeof current[name] !== "boolean" || control?.[name] === current[name])
      .map(([name, schema]) => [name, this.#toOther(schema, current[name])] as const)
      .filter(([, value]) => value !== undefined);
    if (values.length === 0) return [];
    const all = await this.#send(actor, Object.fromEntries(values));
    if (all !== undefined && isSuccess(all.seen)) return this.#judge(all, current, values);
    const verdicts: Verdict[] = [];
    for (const [name, value] of values) {
      const step = await this.#send(actor, { [name]: value });
      if (step !== undefined) verdicts.push(...this.#judge(step, current, [[name, value]]));
    }
    return verdicts;
  }

  #judge(step: Step, current: Fields, sent: readonly (readonly [string, unknown])[]): Verdict[] {
    const { json } = step.seen;
    if (!isSuccess(step.seen) || !isObject(json)) return [];
    const fields = json as Fields; // checked
    const taken = sent.filter(([name, value]) => isEqual(fields[name], value) && !isEqual(current[name], value));
    if (taken.length === 0) return [];
    const names = taken.map(([name]) => name).join(", ");
    return [{ kind: "mass assignment", evidence: `the body sets ${names}, undeclared`, steps: [step], objects: [] }];
  }

  /** Gives an own object to another user. */
  async #assignOwner(actor: Actor, other: Actor): Promise<Verdict[]> {
    const { world, oracle, builder, learner } = this.#tools;
    const user = world.users.get(other);
    if (user === undefined) return [];
    const place = builder.placesOf(this.operation).findLast((one) => one.in === "path");
    const [updated] = place === undefined ? [] : world.identitiesOf(this.operation, place); // none where it creates
    const verdicts: Verdict[] = [];
    const known = [...world.ownerFields];
    for (const name of known.length > 0 ? known : ["user_id", "owner_id", "author_id"]) {
      const focus = updated && (await learner.create(actor, updated.kind));
      const before = focus && (await oracle.look(actor, focus));
      const step = await this.#send(actor, { [name]: user.id }, focus, user);
      if (step === undefined || !isSuccess(step.seen)) continue;
      if (focus !== undefined) focus.isSpent = true;
      const evidence = `the body sets ${name} to the id of ${other.name}`;
      const id = focus?.id ?? (isObject(step.seen.json) && "id" in step.seen.json ? step.seen.json.id : "");
      const node = findNode(step.seen.json, String(id)) ?? (step.seen.json as Fields | undefined);
      const verdict: Verdict = { kind: "mass assignment", evidence, steps: [step], objects: [user] };
      if (isEqual(node?.[name], user.id)) {
        verdicts.push(verdict);
        continue;
      }
      const after = before && focus && (await oracle.look(actor, focus));
      const effect = before && after && focus && oracle.compare(focus, before, after, "");
      const isGiven = effect?.kind === "delete" || effect?.evidence.includes(name) === true;
      if (effect !== undefined && isGiven) verdicts.push({ ...verdict, steps: [step, ...effect.steps] });
    }
    return verdicts;
  }

  async #send(actor: Actor, extra: Fields, focus?: FuzzedObject, user?: FuzzedObject): Promise<Step | undefined> {
    const { builder, exchange } = this.#tools;
    const prepared = builder.build(actor, this.operation, { focus });
    if (prepared === undefined || !isObject(prepared.request.body)) return undefined;
    const body = { ...prepared.request.body, ...extra };
    const uses = user === undefined ? prepared.uses : [...prepared.uses, user];
    return exchange.send(actor, this.operation, { request: { ...prepared.request, body }, uses });
  }

  /** Another valid value; undefined for lists and objects. */
  #toOther(schema: JsonSchema, current: unknown): unknown {
    const { arbitraries, builder } = this.#tools;
    const known = arbitraries.resolve(schema);
    const [type = ""] = typesOf(known).filter((one) => one !== "null");
    if (type === "boolean") return current !== true;
    // far from the next id or version, which the server sets by itself
    if (type === "integer" || type === "number") return Math.min(1_234_567, Number(known.maximum ?? 1_234_567));
    if (type !== "string" && !("enum" in known)) return undefined;
    if (typeof current === "string" && /^\d{4}-\d\d-\d\dT/.test(current)) return "2001-02-03T04:05:06.000Z";
    for (let turn = 0; turn < 5; turn++) {
      const value = new Values(arbitraries, builder.createMarker(), turn).of(known, 0);
      if (!isEqual(value, current)) return value;
    }
    return undefined;
  }
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
