import type { Arbitraries } from "../arbitrary.ts";
import type { Operation } from "../operation.ts";
import type { Actor, Pair } from "./actors.ts";
import type { Attack, AttackTools, Mode } from "./attack.ts";
import { toUnknown } from "./ids.ts";
import { type LiveConnection, LiveConnector, receives } from "./live-connection.ts";
import type { Verdict } from "./oracle.ts";
import { findPlaces, isTopic, labelOf, type Place, replaceAt } from "./places.ts";
import { type FuzzedObject, isSuccess, type Prepared, type Seen, type Step } from "./step.ts";
import { Values } from "./values.ts";

const mostTriggers = 4;
const connectors = new WeakMap<object, LiveConnector>();

/** An event stream or a socket by the id of another actor's object, or one that shows the objects of all. */
export class LiveAttack implements Attack {
  readonly operation: Operation;
  readonly label: string;
  readonly #place: Place | undefined;
  readonly #tools: AttackTools;
  readonly #arbitraries: Arbitraries;
  readonly #connector: LiveConnector;
  /** By kind: requests of the owner that this route has reported. */
  readonly #triggers = new Map<string, readonly Operation[]>();

  constructor(tools: AttackTools, operation: Operation, place: Place | undefined, arbitraries: Arbitraries) {
    this.#tools = tools;
    this.operation = operation;
    this.#place = place;
    this.#arbitraries = arbitraries;
    this.label = place === undefined ? "events" : labelOf(place);
    const { app } = tools.exchange;
    this.#connector = connectors.get(app) ?? new LiveConnector(app);
    connectors.set(app, this.#connector);
  }

  async run(pair: Pair, { isFresh }: Mode): Promise<Verdict[]> {
    const { world, setup, oracle } = this.#tools;
    const place = this.#place;
    const kinds = place === undefined ? [...setup.creators.keys()] : world.kindsOf(this.operation, place);
    for (const kind of kinds) {
      const target = (isFresh ? await setup.create(pair.owner, kind) : undefined) ?? world.pick(pair.owner, kind);
      if (target === undefined) continue;
      for (const topic of this.#topicsOf(target)) {
        const verdict = await this.#attack(pair, target, topic);
        if (verdict === undefined) continue;
        if (await oracle.isPublic(pair.attacker, target)) return [];
        return [verdict];
      }
    }
    return [];
  }

  #topicsOf({ id, kind }: FuzzedObject): (string | number)[] {
    if (this.#place === undefined || !isTopic(this.#place)) return [id];
    return [`${kind}:${id}`, `${kind}s:${id}`, `${kind}/${id}`, `${kind}s/${id}`, `${kind}-${id}`, id];
  }

  async #attack(pair: Pair, target: FuzzedObject, topic: string | number): Promise<Verdict | undefined> {
    const unknown = toUnknown(topic, this.#tools.random);
    const [own, hit, miss] = [
      await this.#open(pair.owner, target, topic),
      await this.#open(pair.attacker, target, topic),
      this.#place === undefined ? undefined : await this.#open(pair.attacker, target, unknown),
    ];
    const all = [own, hit, miss].flatMap((one) => one?.connection ?? []);
    try {
      if (own === undefined || hit === undefined || !own.connection.isOpen) return undefined;
      const isRefused = miss !== undefined && !miss.connection.isOpen;
      const step = this.#toStep(pair.attacker, hit.prepared, hit.connection);
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
    exchange.sent++;
    const connection = await this.#connector.open(actor, this.operation, prepared);
    if (connection.isOpen) exchange.reached.add(this.operation.id);
    return { connection, prepared };
  }

  /** Sends every message that the socket receives and that has a place for an id or a topic. */
  #subscribe(connection: LiveConnection, topic: string | number): boolean {
    let hasSent = false;
    for (const [event, schema] of Object.entries(this.operation.live?.receives ?? {})) {
      const body = { type: "application/json", schema, required: true, fields: {} };
      const places = findPlaces({ ...this.operation, path: "", parameters: [], body }, this.#arbitraries);
      if (places.length === 0) continue;
      const values = new Values(this.#arbitraries, this.#tools.builder.createMarker(), 0);
      const data = places.reduce(
        (all, { keys, isList }) => replaceAt(all, keys, isList ? [topic] : topic),
        values.of(schema, 1),
      );
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
      const prepared = builder.build(owner, operation, { focus: target, marker });
      const step = prepared && (await exchange.send(owner, operation, prepared));
      if (step === undefined || !isSuccess(step.seen)) continue;
      if (!(await receives(own, marker))) continue;
      working.push(operation);
      if (await receives(hit, marker, 5)) return step;
    }
    this.#triggers.set(target.kind, working);
    return undefined;
  }

  #findTriggers({ kind }: FuzzedObject): Operation[] {
    const { builder, world, operations } = this.#tools;
    const fits = (operation: Operation) =>
      builder
        .placesOf(operation)
        .some((place) => place.in !== "query" && world.kindsOf(operation, place).includes(kind));
    const writes = operations.filter(({ method }) => ["PATCH", "PUT", "POST"].includes(method));
    const creator = this.#place === undefined ? this.#tools.setup.creators.get(kind) : undefined;
    return [...writes.filter(fits), ...(creator === undefined ? [] : [creator])].slice(0, mostTriggers);
  }

  #toStep(actor: Actor, { request, uses }: Prepared, { status, text }: LiveConnection): Step {
    const seen: Seen = { status, text, json: undefined, location: "", link: "" };
    return { actor, operation: this.operation, request, seen, uses };
  }
}
