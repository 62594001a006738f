import type { Operation } from "../operation.ts";
import { type Actor, type Pair, toGuest } from "./actors.ts";
import type { AttackTools } from "./attack.ts";

/** Throws for options with which a run would show nothing, or that name what does not exist. */
export function refuseOptions(
  runs: number,
  pairs: readonly Pair[],
  operations: readonly Operation[],
  named: Readonly<Record<string, readonly string[]>>,
): void {
  if (!Number.isInteger(runs) || runs < 1)
    throw new Error(`fuzzAccess(): the option runs is ${runs}, but takes a positive whole number.`);
  if (pairs.length === 0)
    throw new Error(
      "fuzzAccess() needs two actors at least: one that creates objects, and another that does not see everything. Give headers of two users in the option as: { alice: { authorization: … }, bob: { authorization: … } }.",
    );
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
  { world, exchange }: Pick<AttackTools, "world" | "exchange">,
  operations: readonly Operation[],
  actors: readonly Actor[],
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

/** Throws for operations that take ids and were not attacked with those of others: the run says nothing about them. */
export async function refuseUntested(
  tools: Pick<AttackTools, "exchange" | "builder">,
  actors: readonly Actor[],
  operations: readonly Operation[],
  unattacked: readonly string[],
  seed: number,
): Promise<void> {
  const { reached } = tools.exchange;
  const untested: (readonly [id: string, line: string])[] = [];
  for (const operation of operations) {
    const { id, method, path } = operation;
    const seen = [...tools.exchange.statusesOf(id)].join(" and ");
    const reason = seen === "" ? "no actor has the objects that it needs" : `it responded ${seen}`;
    if (unattacked.includes(id))
      untested.push([id, `${id} (${method} ${path}) was not attacked: no actor could send it an id of another one`]);
    else if (path.includes("{") && !reached.has(id) && (await isGuarded(tools, actors, operation)))
      untested.push([id, `${id} (${method} ${path}) was not reached: ${reason}`]);
  }
  if (untested.length === 0) return;
  const names = untested.map(([id]) => `"${id}"`).join(", ");
  throw new Error(
    `fuzzAccess() found nothing, but says nothing about operations that take ids either:\n\n${untested.map(([, line]) => `   ${line}`).join("\n")}\n\nGive the actors of the option as the rights and objects that these need, and declare the rules of their bodies so that the document shows them. What another test covers, name in the option untested: [${names}]. seed: ${seed}.`,
  );
}

/** By the document, or by the response to a request without credentials: not every guard is declared. */
async function isGuarded(
  { exchange, builder }: Pick<AttackTools, "exchange" | "builder">,
  actors: readonly Actor[],
  operation: Operation,
): Promise<boolean> {
  const { security, policies, live } = operation;
  if (security.length > 0 || policies.length > 0 || live !== undefined) return true;
  for (const actor of actors) {
    const prepared = builder.build(actor, operation);
    if (prepared === undefined) continue;
    return [401, 403].includes((await exchange.send(toGuest(actor), operation, prepared)).seen.status);
  }
  return true;
}
