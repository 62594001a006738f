import { randomInt } from "node:crypto";
import type { TestHttpApp } from "@tenon/core/testing";
import { Arbitraries } from "../arbitrary.ts";
import { type Document, type Operation, toOperations } from "../operation.ts";
import { type Actor, type ActorOption, toActors, toPairs } from "./actors.ts";
import { RequestBuilder } from "./builder.ts";
import { Exchange } from "./exchange.ts";
import { Findings } from "./findings.ts";
import { Oracle } from "./oracle.ts";
import { toAttacks } from "./plan.ts";
import { createRandom } from "./random.ts";
import { refuseActors, refuseEmptyWorld, refuseRuns, refuseTooFew, refuseUnknownIds } from "./refusals.ts";
import { AccessError } from "./report.ts";
import { Setup } from "./setup.ts";
import { World } from "./world.ts";

export interface FuzzAccessOptions {
  /** The actors by their names: headers that authenticate each, or null for a guest. Two at least. */
  readonly as: Readonly<Record<string, ActorOption>>;
  /** Operations, by their ids, that every actor may use on every object: `["posts.index", "posts.show"]`. */
  readonly shared?: readonly string[];
  /** Operations that are not used, such as one that ends the credentials of its actor. */
  readonly skip?: readonly string[];
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
}

/** They end the credentials of their actor, or need a password that the run does not have. */
const credentialPath = /\/(?:log-?in|log-?out|sign-?in|sign-?out|sign-?up|register|token|refresh)$/i;

/**
 * Lets each actor create objects, and uses their ids in the requests of the others, wherever an id can go. Throws an
 * `AccessError` where one could read, change, delete or tell the existence of what another has created and no operation
 * in `shared` shows.
 */
export async function fuzzAccess(app: TestHttpApp, options: FuzzAccessOptions): Promise<FuzzAccessReport> {
  const { runs = 2000, seed = randomInt(2 ** 31), shared = [], skip = [] } = options;
  refuseRuns(runs);
  const actors = toActors(options.as);
  refuseActors(actors);
  const document = (await app.openapi()) as unknown as Document; // plain JSON, read here as far as it is needed
  const arbitraries = new Arbitraries(document.components?.schemas ?? {});
  const all = toOperations(document, arbitraries);
  refuseUnknownIds(all, { shared, skip });
  const operations = all.filter((one) => !skip.includes(one.id) && !needsCredentials(one));

  const random = createRandom(seed);
  const world = new World();
  const exchange = new Exchange(app);
  const builder = new RequestBuilder(arbitraries, world, random);
  const setup = new Setup(exchange, builder, world, operations, actors);
  await setup.run();
  refuseEmptyWorld(operations, actors, world, exchange);

  const isShared = ({ id }: Operation) => shared.includes(id);
  const oracle = new Oracle(exchange, builder, world, setup, operations.filter(isShared));
  const tools = { exchange, builder, world, setup, oracle, operations, random };
  const attacks = toAttacks(
    tools,
    operations.filter((one) => !isShared(one)),
    arbitraries,
  );
  const findings = new Findings(app, exchange);
  const counted = () => exchange.sent - findings.repeated;
  let tried = 0;
  for (const pair of toPairs(actors)) {
    for (const attack of attacks) {
      if (counted() >= runs) break;
      await findings.run(attack, pair);
      tried++;
    }
  }
  const found = await findings.list();
  if (found.length > 0) throw new AccessError(found, counted(), seed);
  refuseTooFew(runs, tried, attacks.length);
  return { requests: counted(), seed, ...toReport(exchange, world, actors, operations) };
}

function needsCredentials({ path, body }: Operation): boolean {
  const required = (body?.schema.required ?? []) as readonly string[]; // by JSON Schema
  return credentialPath.test(path) || required.some((name) => /password|refresh_?token/i.test(name));
}

function toReport(
  exchange: Exchange,
  world: World,
  actors: readonly Actor[],
  operations: readonly Operation[],
): Omit<FuzzAccessReport, "requests" | "seed"> {
  const count = (actor: Actor) => world.objects.filter(({ owner }) => owner === actor).length;
  const ids = operations.map(({ id }) => id);
  return {
    objects: Object.fromEntries(actors.filter(({ isGuest }) => !isGuest).map((actor) => [actor.name, count(actor)])),
    reached: ids.filter((id) => exchange.reached.has(id)),
    unreached: ids.filter((id) => !exchange.reached.has(id)),
  };
}
