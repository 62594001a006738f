import type { Operation } from "../operation.ts";
import type { Actor } from "./actors.ts";
import type { Exchange } from "./exchange.ts";
import type { World } from "./world.ts";

/** Throws for actors between whom there is nothing to attack. */
export function refuseActors(actors: readonly Actor[]): void {
  const owners = actors.filter(({ isGuest }) => !isGuest);
  const attackers = actors.filter(({ seesEverything }) => !seesEverything);
  if (owners.some((owner) => attackers.some((attacker) => attacker !== owner))) return;
  throw new Error(
    "fuzzAccess() needs two actors at least: one that creates objects, and another that does not see everything. Give headers of two users in the option as: { alice: { authorization: … }, bob: { authorization: … } }.",
  );
}

/** Throws for the id of an operation that does not exist, which would otherwise exempt nothing. */
export function refuseUnknownIds(
  operations: readonly Operation[],
  named: Readonly<Record<"shared" | "skip", readonly string[]>>,
): void {
  const known = operations.map(({ id }) => id);
  for (const [option, ids] of Object.entries(named)) {
    const unknown = ids.filter((id) => !known.includes(id));
    if (unknown.length === 0) continue;
    throw new Error(
      `fuzzAccess(): the option ${option} names ${unknown.join(", ")}, which is not an operation. The operations are ${known.join(", ")}.`,
    );
  }
}

/** Throws where no object was created, or an actor was never let in: such a run shows nothing. */
export function refuseEmptyWorld(
  operations: readonly Operation[],
  actors: readonly Actor[],
  world: World,
  exchange: Exchange,
): void {
  for (const { name, isGuest } of actors) {
    const statuses = exchange.statusesOf(name);
    if (isGuest || statuses.size === 0 || ![...statuses].every((status) => status === 401)) continue;
    throw new Error(
      `fuzzAccess(): every request of ${name} was rejected with 401. Check its headers in the option as.`,
    );
  }
  if (world.objects.length > 0) return;
  const posts = operations.filter(({ method, live }) => method === "POST" && live === undefined);
  const seen = posts.map(
    ({ id }) =>
      `${id} responded ${[...exchange.statusesOf(id)].join(" and ") || "nothing, because it needs the id of another object"}`,
  );
  const reason = posts.length === 0 ? "There is no POST operation in the document" : seen.join("; ");
  const isForbidden = posts.some(({ id }) => exchange.statusesOf(id).has(403));
  const token = isForbidden
    ? ' Where a 403 is for a missing CSRF token, give it beside the cookie: { cookie, "x-csrf-token": token }.'
    : "";
  throw new Error(
    `fuzzAccess(): no actor could create an object whose id a response shows. ${reason}. Give the actors of the option as the rights to create, and declare the rules of the bodies so that the document shows them.${token}`,
  );
}

/** Throws for a limit that would end the run before its first attack. */
export function refuseRuns(runs: number): void {
  if (Number.isInteger(runs) && runs > 0) return;
  throw new Error(`fuzzAccess(): the option runs is ${runs}, but takes a positive whole number.`);
}

/** Throws where the requests were used up before each attack was tried once. */
export function refuseTooFew(runs: number, tried: number, attacks: number): void {
  if (tried >= attacks) return;
  throw new Error(
    `fuzzAccess(): ${runs} requests are too few. ${tried} of ${attacks} attacks were tried, and found nothing. Raise the option runs.`,
  );
}
