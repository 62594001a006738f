import type { ActorHeaders, FuzzedOperation, HeadersOf } from "../operation.ts";

/** Headers that authenticate an actor, a function to them by operation, or null for a guest. */
export type ActorOption =
  | ActorHeaders
  | HeadersOf
  | null
  | {
      readonly headers: ActorHeaders | HeadersOf;
      /** Whether it may see and change every object, such as an administrator: then it is never an attacker. */
      readonly seesEverything?: boolean;
    };

export interface Actor {
  readonly name: string;
  readonly isGuest: boolean;
  readonly seesEverything: boolean;
  headersFor(operation: FuzzedOperation): ActorHeaders | Promise<ActorHeaders>;
}

/** An attacker, and the owner of what it attacks. */
export interface Pair {
  readonly owner: Actor;
  readonly attacker: Actor;
}

export function toActors(as: Readonly<Record<string, ActorOption>>): Actor[] {
  if (!isRecord(as)) refuse("as", as);
  return Object.entries(as).map(([name, option]) => {
    if (option !== null && typeof option !== "function" && !isRecord(option)) refuse(`as.${name}`, option);
    const { headers, seesEverything = false } = toSettings(option);
    return {
      name,
      isGuest: option === null,
      seesEverything,
      headersFor: (operation) => (typeof headers === "function" ? headers(operation) : headers),
    };
  });
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Shows the type only: the value may be a credential. */
function refuse(option: string, value: unknown): never {
  const type = Array.isArray(value)
    ? "a list"
    : value === undefined || value === null
      ? "missing"
      : `a ${typeof value}`;
  throw new Error(
    `fuzzAccess(): the option ${option} is ${type}. Give the headers of each actor by its name: { as: { alice: { authorization: "Bearer …" }, bob: { cookie: "…" }, guest: null } }.`,
  );
}

function toSettings(option: ActorOption): { headers: ActorHeaders | HeadersOf; seesEverything?: boolean } {
  if (option === null) return { headers: {} };
  if (typeof option === "function") return { headers: option };
  // a header has text, so that this is not one with the name "headers"
  if ("headers" in option && typeof option.headers !== "string") return option as ReturnType<typeof toSettings>;
  return { headers: option as ActorHeaders }; // the remaining form
}

/** The same actor without credentials. */
export function toGuest(actor: Actor): Actor {
  return { ...actor, name: "", headersFor: () => ({}) };
}

/** Every owner with every attacker; pairs of two users come first, because guests are mostly stopped by a guard. */
export function toPairs(actors: readonly Actor[]): Pair[] {
  const owners = actors.filter(({ isGuest }) => !isGuest);
  const attackers = actors.filter(({ seesEverything }) => !seesEverything);
  const pairs = owners.flatMap((owner) =>
    attackers.filter((attacker) => attacker !== owner).map((attacker) => ({ owner, attacker })),
  );
  const rank = ({ owner, attacker }: Pair) => Number(owner.seesEverything) * 2 + Number(attacker.isGuest);
  const sorted = pairs.toSorted((a, b) => rank(a) - rank(b));
  const firstGuest = sorted.findIndex(({ attacker }) => attacker.isGuest);
  if (firstGuest < 2) return sorted;
  return sorted.toSpliced(1, 0, ...sorted.splice(firstGuest, 1)); // the second round is a guest's
}
