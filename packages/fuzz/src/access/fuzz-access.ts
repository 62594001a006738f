import { randomInt } from "node:crypto";
import type { TestHttpApp } from "@tenon/core/testing";
import { Arbitraries } from "../arbitrary.ts";
import { type Document, type Operation, toOperations } from "../operation.ts";
import { type ActorOption, toActors, toPairs } from "./actors.ts";
import type { AttackTools } from "./attack.ts";
import { RequestBuilder } from "./builder.ts";
import { Exchange } from "./exchange.ts";
import { Findings } from "./findings.ts";
import { Learner } from "./learner.ts";
import { type IsShared, Oracle } from "./oracle.ts";
import { isCursor } from "./places.ts";
import { toAttacks } from "./plan.ts";
import { refuseEmptyWorld, refuseOptions, refuseUntested } from "./refuse.ts";
import { AccessError } from "./report.ts";
import { Setup } from "./setup.ts";
import { World } from "./world.ts";

export interface FuzzAccessOptions {
  /** The actors by their names: headers that authenticate each, or null for a guest. Two at least. */
  readonly as: Readonly<Record<string, ActorOption>>;
  /**
   * Operations, by their ids, that every actor may use on every object: `["posts.index", "posts.show"]`, or on those of
   * which a function says so: `{ "posts.index": true, "posts.show": (post) => post.published }`.
   */
  readonly shared?: readonly string[] | Readonly<Record<string, true | IsShared>>;
  /** Operations that are not used, such as one that ends the credentials of its actor. */
  readonly skip?: readonly string[];
  /** Operations that may take ids and stay unreached, or not attacked. */
  readonly untested?: readonly string[];
  /** How many requests to send at most; those that repeat a finding are not counted. Defaults to 2,000. */
  readonly runs?: number;
  /** Repeats a run; a report names its seed. */
  readonly seed?: number;
}

export interface FuzzAccessReport {
  /** How many requests were sent, without those that repeat a finding. */
  readonly requests: number;
  readonly seed: number;
  /** By actor: how many objects it has created. */
  readonly objects: Readonly<Record<string, number>>;
  /** The ids of the operations that have succeeded for an actor. */
  readonly reached: readonly string[];
  /** Those that never have, so that the run says little about them. */
  readonly unreached: readonly string[];
  /** Those of `reached` that take ids, and to which no actor has sent an id of another one. */
  readonly unattacked: readonly string[];
}

/** They end the credentials of their actor, or need a password that the run does not have. */
const credentialPath = /\/(?:log-?in|log-?out|sign-?in|sign-?out|sign-?up|register|token|refresh)$/i;

/**
 * Lets each actor create objects, and uses their ids in the requests of the others, wherever an id can go. Throws an
 * `AccessError` where one could read, change, delete or tell the existence of what another has created and no operation
 * in `shared` shows, and an error for operations that take ids and were not attacked with those of others.
 */
export async function fuzzAccess(app: TestHttpApp, options: FuzzAccessOptions): Promise<FuzzAccessReport> {
  const { runs = 2000, seed = randomInt(2 ** 31), shared: named = [], skip = [], untested = [] } = options;
  const shared = new Map(isList(named) ? named.map((id) => [id, true] as const) : Object.entries(named));
  const actors = toActors(options.as);
  const pairs = toPairs(actors);
  const document = (await app.openapi()) as unknown as Document; // plain JSON, read here as far as it is needed
  const arbitraries = new Arbitraries(document.components?.schemas ?? {});
  const all = toOperations(document, arbitraries);
  refuseOptions(runs, pairs, all, { shared: [...shared.keys()], skip, untested });
  const operations = all.filter((one) => !skip.includes(one.id) && !needsCredentials(one));

  const world = new World();
  const builder = new RequestBuilder(arbitraries, world, seed);
  const exchange = new Exchange(app, builder);
  const learner = new Learner(exchange, builder, world);
  const own = { exchange, builder, world, learner };
  const setup = new Setup(own, operations, actors);
  await setup.run();
  refuseEmptyWorld(own, operations, actors);

  const oracle = new Oracle({ ...own, setup }, operations, shared);
  const tools = { ...own, setup, oracle, operations, arbitraries };
  const targets = operations.filter(({ id }) => shared.get(id) !== true);
  const attacks = toAttacks(tools, targets);
  const findings = new Findings(exchange);
  const counted = () => exchange.sent - findings.repeated;
  let tried = 0;
  for (const pair of pairs) {
    for (const attack of attacks) {
      if (counted() >= runs) break;
      await findings.run(attack, pair);
      tried++;
    }
  }
  const found = await findings.list();
  if (found.length > 0) throw new AccessError(found, counted(), seed);
  if (tried < attacks.length) {
    throw new Error(
      `fuzzAccess(): ${runs} requests are too few. ${tried} of ${attacks.length} attacks were tried, and found nothing. Raise the option runs.`,
    );
  }
  const unattacked = targets.filter((one) => isUnattacked(tools, one)).map(({ id }) => id);
  const isTested = ({ id }: Operation) => shared.get(id) !== true && ![...skip, ...untested].includes(id);
  await refuseUntested(tools, actors, all.filter(isTested), unattacked, seed);
  const users = actors.filter(({ isGuest }) => !isGuest);
  const objects = users.map((actor) => [actor.name, world.objects.filter(({ owner }) => owner === actor).length]);
  const ids = operations.map(({ id }) => id);
  const reached = ids.filter((id) => exchange.reached.has(id));
  const unreached = ids.filter((id) => !exchange.reached.has(id));
  return { requests: counted(), seed, objects: Object.fromEntries(objects), reached, unreached, unattacked };
}

/** An operation takes ids where one fits. */
function isUnattacked({ exchange, builder, world }: AttackTools, operation: Operation): boolean {
  const { reached, attacked } = exchange;
  if (!reached.has(operation.id) || attacked.has(operation.id)) return false;
  const places = builder.placesOf(operation).filter((place) => !isCursor(place));
  return places.some((place) => world.guessIds(operation, place).length > 0);
}

function isList(shared: Required<FuzzAccessOptions>["shared"]): shared is readonly string[] {
  return Array.isArray(shared);
}

function needsCredentials({ path, body }: Operation): boolean {
  const required = (body?.schema.required ?? []) as readonly string[]; // by JSON Schema
  return credentialPath.test(path) || required.some((name) => /password|refresh_?token/i.test(name));
}
