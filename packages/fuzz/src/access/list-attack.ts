import type { Operation } from "../operation.ts";
import type { Pair } from "./actors.ts";
import type { Attack, AttackTools, Mode } from "./attack.ts";
import type { Verdict } from "./oracle.ts";
import { labelOf, type Place } from "./places.ts";
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
    const found = this.operation.parameters.find(
      ({ name, in: at }) => at === "query" && /^(?:limit|per_?page|page_?size|size|take)$/i.test(name),
    );
    return found === undefined ? {} : { [found.name]: Number(found.schema.minimum ?? 1) };
  }
}
