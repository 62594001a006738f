import type { Operation } from "../operation.ts";
import type { Pair } from "./actors.ts";
import type { Attack, AttackTools, Mode } from "./attack.ts";
import { isObject } from "./ids.ts";
import type { Verdict } from "./oracle.ts";
import { isLimit, labelOf, type Place } from "./places.ts";
import { isSuccess, type Step } from "./step.ts";

/** A read with the attacker's own ids, or without any, right after the owner's: lists, exports, cached responses. */
export class ListAttack implements Attack {
  readonly operation: Operation;
  readonly label = "response";
  readonly #tools: AttackTools;
  #kind = "";

  constructor(tools: AttackTools, operation: Operation) {
    this.#tools = tools;
    this.operation = operation;
  }

  async run({ owner, attacker }: Pair, { isWarm, isFresh }: Mode): Promise<Verdict[]> {
    const { builder, exchange, oracle, setup } = this.#tools;
    if (isFresh) await setup.create(owner, this.#kind);
    const before: Step[] = [];
    const own = builder.build(owner, this.operation);
    if (isWarm && own !== undefined) before.push(await exchange.send(owner, this.operation, own));
    const prepared = builder.build(attacker, this.operation);
    if (prepared === undefined) return [];
    const step = await exchange.send(attacker, this.operation, prepared);
    const leaks = await oracle.findLeaks(step);
    const [first] = leaks;
    if (first === undefined) return [];
    this.#kind = first.kind;
    const evidence = `${step.seen.status}, with what ${first.owner.name} has created`;
    return [{ kind: "read", evidence, steps: [...before, step], objects: leaks.slice(0, 1) }];
  }
}

/** The cursor of another actor's list. */
export class CursorAttack implements Attack {
  readonly operation: Operation;
  readonly label: string;
  readonly #place: Place;
  readonly #tools: AttackTools;

  constructor(tools: AttackTools, operation: Operation, place: Place) {
    this.#tools = tools;
    this.operation = operation;
    this.#place = place;
    this.label = labelOf(place);
  }

  async run({ owner, attacker }: Pair): Promise<Verdict[]> {
    const { builder, exchange, oracle, world } = this.#tools;
    const first = builder.build(owner, this.operation);
    if (first === undefined) return [];
    const limited = { ...first.request, query: { ...first.request.query, ...this.#limit() } };
    const own = await exchange.send(owner, this.operation, { ...first, request: limited });
    if (isSuccess(own.seen)) world.keepCursor(own);
    const cursor = world.cursorOf(owner, this.operation);
    if (cursor === undefined) return [];
    const replaced = new Map([[this.#place, cursor]]);
    const prepared = builder.build(attacker, this.operation, { replaced });
    if (prepared === undefined) return [];
    const step = await exchange.send(attacker, this.operation, prepared);
    const leaks = await oracle.findLeaks(step);
    const [leak] = leaks;
    if (leak === undefined) return [];
    const evidence = `${step.seen.status}, with what ${leak.owner.name} has created`;
    return [{ kind: "read", evidence, steps: [own, step], objects: leaks.slice(0, 1) }];
  }

  /** The shortest page, so that there is another one. */
  #limit(): Record<string, number> {
    const found = this.operation.parameters.find(({ name, in: at }) => at === "query" && isLimit(name));
    return found === undefined ? {} : { [found.name]: Number(found.schema.minimum ?? 1) };
  }
}

/** A part of another actor's text as a search. */
export class SearchAttack implements Attack {
  readonly operation: Operation;
  readonly label: string;
  readonly #name: string;
  readonly #tools: AttackTools;

  constructor(tools: AttackTools, operation: Operation, name: string) {
    this.#tools = tools;
    this.operation = operation;
    this.#name = name;
    this.label = `query ${name}`;
  }

  async run({ owner, attacker }: Pair, { isFresh }: Mode): Promise<Verdict[]> {
    const { builder, exchange, oracle, world, setup } = this.#tools;
    for (const kind of world.kindsNear(this.operation)) {
      const target = (isFresh ? await setup.create(owner, kind) : undefined) ?? world.pick(owner, kind);
      const prepared = builder.build(attacker, this.operation);
      if (target === undefined || target.marker === "" || prepared === undefined) continue;
      const query = { ...prepared.request.query, [this.#name]: target.marker.slice(0, -1) }; // the rest shows who has added it
      const uses = [...prepared.uses, target];
      const step = await exchange.send(attacker, this.operation, { request: { ...prepared.request, query }, uses });
      const leaks = await oracle.findLeaks(step);
      if (leaks.length === 0) continue;
      const evidence = `${step.seen.status}, with what ${owner.name} has created`;
      return [{ kind: "read", evidence, steps: [step], objects: leaks.slice(0, 1) }];
    }
    return [];
  }
}

/** Figures of a response that change with what another actor creates. */
export class CountAttack implements Attack {
  readonly operation: Operation;
  readonly label = "figures";
  readonly #tools: AttackTools;

  constructor(tools: AttackTools, operation: Operation) {
    this.#tools = tools;
    this.operation = operation;
  }

  async run({ owner, attacker }: Pair): Promise<Verdict[]> {
    const { builder, exchange, world, setup } = this.#tools;
    const prepared = builder.build(attacker, this.operation);
    if (prepared === undefined) return [];
    const read = async () => exchange.send(attacker, this.operation, prepared);
    const first = await read();
    if (!isSuccess(first.seen) || !hasFigures(first.seen.json)) return [];
    for (const kind of world.kindsNear(this.operation)) {
      const before = await read();
      if (before.seen.text !== first.seen.text) return []; // it changes by itself
      const object = await setup.create(owner, kind);
      const after = await read();
      if (object === undefined || after.seen.text === before.seen.text) continue;
      const evidence = `a figure changes when ${owner.name} creates a ${kind}`;
      return [{ kind: "existence", evidence, steps: [before, after], objects: [object] }];
    }
    return [];
  }
}

/** Whether it is an object that has a number of its own, such as a total. */
function hasFigures(json: unknown): boolean {
  return isObject(json) && !Array.isArray(json) && Object.values(json).some((value) => typeof value === "number");
}
