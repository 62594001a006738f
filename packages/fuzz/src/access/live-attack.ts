import type { Operation } from "../operation.ts";
import type { Actor, Pair } from "./actors.ts";
import type { Attack, AttackTools, Mode } from "./attack.ts";
import { toValue } from "./builder.ts";
import { connect, type LiveConnection, receives } from "./live-connection.ts";
import { findPlaces, labelOf, nameOf, type Place, replaceAt } from "./places.ts";
import { type FuzzedObject, isSuccess, nothing, type Prepared, type Seen, type Step, type Verdict } from "./step.ts";
import { Values } from "./values.ts";
import type { Identity } from "./world.ts";

const mostTriggers = 4;
const topicName = /^(?:topic|channel|room)s?$/i;

/** An event stream or a socket by the id of another actor's object, or one that shows the objects of all. */
export class LiveAttack implements Attack {
  readonly operation: Operation;
  readonly label: string;
  readonly #place: Place | undefined;
  readonly #tools: AttackTools;
  /** By kind: requests of the owner that this route has reported. */
  readonly #triggers = new Map<string, readonly Operation[]>();

  constructor(tools: AttackTools, operation: Operation, place: Place | undefined) {
    this.#tools = tools;
    this.operation = operation;
    this.#place = place;
    this.label = place === undefined ? "events" : labelOf(place);
  }

  async run(pair: Pair, { isFresh }: Mode): Promise<Verdict[]> {
    const { world, learner, oracle } = this.#tools;
    const place = this.#place;
    const kinds = [...world.creators.keys()].map((kind): Identity => ({ kind, path: "" }));
    for (const identity of place === undefined ? kinds : world.identitiesOf(this.operation, place)) {
      const { kind } = identity;
      const target = isFresh ? await learner.renew(pair.owner, kind) : world.pick(pair.owner, kind);
      if (target === undefined) continue;
      for (const topic of this.#topicsOf(target, identity)) {
        const verdict = await this.#attack(pair, target, topic);
        if (verdict === undefined) continue;
        if (await oracle.isPublic(pair.attacker, target)) return [];
        return [verdict];
      }
    }
    return [];
  }

  #topicsOf(target: FuzzedObject, identity: Identity): (string | number)[] {
    const { id, name } = target;
    if (this.#place === undefined) return [id];
    if (!topicName.test(nameOf(this.#place))) return [toValue(this.#place, identity, target) ?? id];
    return [`${name}:${id}`, `${name}s:${id}`, `${name}/${id}`, `${name}s/${id}`, `${name}-${id}`, id];
  }

  async #attack(pair: Pair, target: FuzzedObject, topic: string | number): Promise<Verdict | undefined> {
    const unknown = this.#tools.builder.createUnknown(topic);
    const [own, hit, miss] = [
      await this.#open(pair.owner, target, topic),
      await this.#open(pair.attacker, target, topic),
      this.#place === undefined ? undefined : await this.#open(pair.attacker, target, unknown),
    ];
    const all = [own, hit, miss].flatMap((one) => one?.connection ?? []);
    try {
      if (own === undefined || hit === undefined || !own.connection.isOpen) return undefined;
      const isRefused = miss !== undefined && !miss.connection.isOpen;
      const { status, text } = hit.connection;
      const seen: Seen = { ...nothing, status, text };
      const step: Step = { ...hit.prepared, actor: pair.attacker, operation: this.operation, seen };
      const verdict = { kind: "live", steps: [step], objects: [target] } as const;
      if (hit.connection.isOpen && isRefused)
        return { ...verdict, evidence: "opens, but is refused for an unknown id" };
      if (!hit.connection.isOpen) {
        if (miss === undefined || miss.connection.status === hit.connection.status) return undefined;
        const evidence = `${hit.connection.status}, but ${miss.connection.status} for an unknown id`;
        return { ...verdict, kind: "existence", evidence };
      }
      this.#subscribe(hit.connection, topic); // first, so that it is not the one that misses the change
      if (this.#subscribe(own.connection, topic)) await receives(own.connection, "a response", 10); // it may be silent
      target.isSpent = true;
      const change = await this.#trigger(pair, target, own.connection, hit.connection);
      if (change === undefined) return undefined;
      return { ...verdict, steps: [step, change], evidence: `delivers what ${pair.owner.name} then sends` };
    } finally {
      for (const connection of all) connection.close();
    }
  }

  async #open(
    actor: Actor,
    target: FuzzedObject,
    topic: string | number,
  ): Promise<{ connection: LiveConnection; prepared: Prepared } | undefined> {
    const { builder, exchange } = this.#tools;
    const replaced = this.#place === undefined ? new Map<Place, unknown>() : new Map([[this.#place, topic]]);
    const prepared = builder.build(actor, this.operation, { focus: target, replaced });
    if (prepared === undefined) return undefined;
    if (actor !== target.owner) exchange.attacked.add(this.operation.id);
    exchange.sent++;
    const connection = await connect(exchange.app, actor, this.operation, prepared);
    if (connection.isOpen) exchange.reached.add(this.operation.id);
    return { connection, prepared };
  }

  /** Sends every message that the socket receives and that has a place for an id or a topic. */
  #subscribe(connection: LiveConnection, topic: string | number): boolean {
    const { arbitraries, builder } = this.#tools;
    let hasSent = false;
    for (const [event, schema] of Object.entries(this.operation.live?.receives ?? {})) {
      const body = { type: "application/json", schema, required: true, fields: {} };
      const places = findPlaces({ ...this.operation, path: "", parameters: [], body }, arbitraries);
      if (places.length === 0) continue;
      const value = new Values(arbitraries, builder.createMarker(), 0).of(schema, 1);
      const data = places.reduce((all, { keys, isList }) => replaceAt(all, keys, isList ? [topic] : topic), value);
      connection.say(JSON.stringify({ event, data }));
      hasSent = true;
    }
    return hasSent;
  }

  /** Lets the owner change the object until its own connection shows it: the request that the attacker's shows too. */
  async #trigger(
    { owner }: Pair,
    target: FuzzedObject,
    own: LiveConnection,
    hit: LiveConnection,
  ): Promise<Step | undefined> {
    const { builder, exchange } = this.#tools;
    const working: Operation[] = [];
    for (const operation of this.#triggers.get(target.kind) ?? this.#findTriggers(target)) {
      const marker = builder.createMarker();
      const step = await exchange.request(owner, operation, { focus: target, marker });
      if (step === undefined || !isSuccess(step.seen) || !(await receives(own, marker))) continue;
      working.push(operation);
      if (await receives(hit, marker, 5)) return step;
    }
    this.#triggers.set(target.kind, working);
    return undefined;
  }

  #findTriggers({ kind }: FuzzedObject): Operation[] {
    const { builder, world, operations } = this.#tools;
    const takes = (operation: Operation, place: Place) =>
      place.in !== "query" && world.knownOf(operation, place)?.kind === kind;
    const writes = operations.filter(({ method }) => ["PATCH", "PUT", "POST"].includes(method));
    const fitting = writes.filter((one) => builder.placesOf(one).some((place) => takes(one, place)));
    const creator = this.#place === undefined ? (world.creators.get(kind) ?? []) : [];
    return [fitting, creator].flat().slice(0, mostTriggers);
  }
}
