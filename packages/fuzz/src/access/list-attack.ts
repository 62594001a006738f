import type { Operation } from "../operation.ts";
import type { Attack, AttackTools } from "./attack.ts";
import { findValues, isObject } from "./ids.ts";
import { isLimit, labelOf, type Place } from "./places.ts";
import { type FuzzedObject, isSuccess, type Step, type Verdict } from "./step.ts";

const mostKinds = 4; // whose texts are searched for, and whose number is watched

/** A read with the attacker's own ids, or without any, right after the owner's: lists, exports, cached responses. */
export function listAttack({ exchange, oracle, learner, setup }: AttackTools, operation: Operation): Attack {
  let kind = "";
  return {
    operation,
    label: "response",
    async run({ owner, attacker }, { isWarm, isFresh }) {
      const shown = [...setup.watchers].findLast(([, operations]) => operations.has(operation))?.[0];
      // a cache that another has filled shows nothing until a new object clears it
      for (const created of isFresh ? [kind] : [undefined, shown]) {
        if (created !== undefined) await learner.create(owner, created);
        const own = isWarm ? await exchange.request(owner, operation) : undefined;
        const step = await exchange.request(attacker, operation);
        const [leak] = step === undefined ? [] : await oracle.findLeaks(step);
        if (step === undefined || leak === undefined) continue;
        kind = leak.kind;
        return toRead(leak, own === undefined ? [step] : [own, step]);
      }
      return [];
    },
  };
}

/** The cursor of another actor's list. */
export function cursorAttack({ builder, exchange, oracle }: AttackTools, operation: Operation, place: Place): Attack {
  const limit = operation.parameters.find(({ name, in: at }) => at === "query" && isLimit(name));
  // the shortest page, so that there is another one
  const limited = limit === undefined ? {} : { [limit.name]: Number(limit.schema.minimum ?? 1) };
  return {
    operation,
    label: labelOf(place),
    async run({ owner, attacker }) {
      const first = builder.build(owner, operation);
      if (first === undefined) return [];
      const request = { ...first.request, query: { ...first.request.query, ...limited } };
      const own = await exchange.send(owner, operation, { ...first, request });
      const cursor = isSuccess(own.seen) ? toCursor(own) : undefined;
      const replaced = new Map([[place, cursor]]);
      const step = cursor === undefined ? undefined : await exchange.request(attacker, operation, { replaced });
      if (step === undefined) return [];
      exchange.attacked.add(operation.id);
      const [leak] = await oracle.findLeaks(step);
      return toRead(leak, [own, step]);
    },
  };
}

function toCursor({ seen }: Step): string | undefined {
  const linked = /[?&](?:cursor|after|page_?token)=([^&>]+)[^>]*>;\s*rel="?next/i.exec(seen.link)?.[1];
  if (linked !== undefined) return decodeURIComponent(linked);
  const fields = isObject(seen.json) && !Array.isArray(seen.json) ? Object.entries(seen.json) : [];
  const [, named] = fields.find(([name, value]) => /^next|cursor/i.test(name) && typeof value === "string") ?? [];
  return typeof named === "string" ? named : undefined;
}

/** Another actor's text as a search, and a part of it. */
export function searchAttack(
  { builder, exchange, oracle, world, learner }: AttackTools,
  operation: Operation,
  name: string,
): Attack {
  return {
    operation,
    label: `query ${name}`,
    async run({ owner, attacker }, { isFresh }) {
      for (const kind of world.kindsNear(operation).slice(0, mostKinds)) {
        const target = isFresh ? await learner.renew(owner, kind) : world.pick(owner, kind);
        const prepared = builder.build(attacker, operation);
        if (target === undefined || target.marker === "" || prepared === undefined) continue;
        const whole = [...findValues(target.created?.request.body).values()].map(String);
        const texts = [target.marker.slice(0, -1), ...whole.filter((text) => text.includes(target.marker))];
        for (const text of texts.slice(0, mostKinds)) {
          const request = { ...prepared.request, query: { ...prepared.request.query, [name]: text } };
          const step = await exchange.send(attacker, operation, { request, uses: [...prepared.uses, target] });
          exchange.attacked.add(operation.id);
          const [leak] = await oracle.findLeaks(step);
          if (leak !== undefined) return toRead(leak, [step]);
        }
      }
      return [];
    },
  };
}

/** Figures of a response that change with what another actor creates. */
export function countAttack({ builder, exchange, world, learner }: AttackTools, operation: Operation): Attack {
  return {
    operation,
    label: "figures",
    async run({ owner, attacker }) {
      const prepared = builder.build(attacker, operation);
      if (prepared === undefined) return [];
      const read = async () => exchange.send(attacker, operation, prepared);
      const first = await read();
      if (!isSuccess(first.seen) || !hasFigures(first.seen.json)) return [];
      for (const kind of world.kindsNear(operation).slice(0, mostKinds)) {
        const before = await read();
        if (before.seen.text !== first.seen.text) return []; // it changes by itself
        const object = await learner.create(owner, kind);
        const after = await read();
        if (object === undefined || after.seen.text === before.seen.text) continue;
        const evidence = `a figure changes when ${owner.name} creates a ${object.name}`;
        return [{ kind: "existence", evidence, steps: [before, after], objects: [object] }];
      }
      return [];
    },
  };
}

/** The last of the steps shows an object of another actor. */
export function toRead(leak: FuzzedObject | undefined, steps: readonly Step[], others: readonly FuzzedObject[] = []) {
  if (leak === undefined) return [];
  const evidence = `${steps.at(-1)?.seen.status}, with what ${leak.owner.name} has created`;
  return [{ kind: "read", evidence, steps, objects: [...new Set([leak, ...others])] } satisfies Verdict];
}

/** Whether it is an object that has a number of its own, such as a total. */
function hasFigures(json: unknown): boolean {
  return isObject(json) && !Array.isArray(json) && Object.values(json).some((value) => typeof value === "number");
}
