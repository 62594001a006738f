import { Random } from "../../packages/core/test/support/random.ts";

export type Instance = "a" | "b" | "c";
/** The parties by their role: the servers of the database change theirs at a failover. */
export type Role = Instance | "front" | "pooler" | "proxy" | "primary" | "replica" | "redis";

export type Fault = (
  | { readonly kind: "kill of an instance" | "kill of a worker" | "clock an hour ahead"; readonly instance: Instance }
  | { readonly kind: "kill of the primary" | "kill of the replica" | "kill of the pooler" }
  | { readonly kind: "kill of the database proxy" | "kill of the HTTP proxy" | "rolling deployment" }
  | { readonly kind: "failover, killed primary" | "failover, cut-off primary" }
  | { readonly kind: "failover, primary without its replica" | "redis restart" }
  | { readonly kind: "cut" | "cut in one direction" | "slow link" | "lossy link"; readonly link: Link }
) & {
  /** How long it lasts, where it does not end by itself. */
  readonly milliseconds: number;
};

export type Kind = Fault["kind"];
/** The first one connects to the other one. */
export type Link = readonly [Role, Role];

const instances: readonly Instance[] = ["a", "b", "c"];

export const kinds: readonly Kind[] = [
  "kill of an instance",
  "kill of a worker",
  "kill of the primary",
  "kill of the replica",
  "kill of the pooler",
  "kill of the database proxy",
  "kill of the HTTP proxy",
  "failover, killed primary",
  "failover, cut-off primary",
  "failover, primary without its replica",
  "cut",
  "cut in one direction",
  "slow link",
  "lossy link",
  "clock an hour ahead",
  "rolling deployment",
];

/** How often Redis restarts, and loses what it holds, in a run with it. */
const redisRestarts = 5;

const links: readonly Link[] = [
  ...instances.flatMap((instance): Link[] => [
    ["front", instance],
    [instance, "pooler"],
    [instance, "proxy"],
  ]),
  ["pooler", "proxy"],
  ["proxy", "primary"],
  ["proxy", "replica"],
  ["replica", "primary"],
];
const linksToRedis = instances.map((instance): Link => [instance, "redis"]);

/** Whether a server of the database is part of it, or the way that all instances take to it. */
export function isOfDatabase(fault: Fault): boolean {
  if ("link" in fault) return !fault.link.some((role) => instances.includes(role as Instance)); // the cast: any role may be sought
  return /primary|replica|pooler|database/.test(fault.kind);
}

/**
 * The faults of a run, in their order. Those of one round happen at the same time: at most one of the database, and at
 * most one of each instance. All kinds come equally often. The short form has six rounds, one of them a failover; that
 * with Redis has each kind once, and restarts of Redis.
 */
export function generateFaults(seed: number, form: "full" | "short" | "redis"): readonly (readonly Fault[])[] {
  const random = new Random(seed);
  if (form === "redis") {
    const all = shuffle([...kinds, ...Array.from({ length: redisRestarts }, () => "redis restart" as const)], random);
    return all.map((kind) => [toFault(kind, random, [...links, ...linksToRedis])]);
  }
  if (form === "short") {
    const others = shuffle(
      kinds.filter((kind) => !kind.startsWith("failover")),
      random,
    );
    const failover = random.pick(kinds.filter((kind) => kind.startsWith("failover"))); // small seeds share their first number
    return shuffle([failover, ...others.slice(0, 5)], random).map((kind) => [toFault(kind, random)]);
  }
  const faults = Array.from({ length: 5 }, () => shuffle(kinds, random))
    .flat()
    .map((kind) => toFault(kind, random));
  const rounds: Fault[][] = [];
  for (const fault of faults) {
    const last = rounds.at(-1);
    const joins = last?.length === 1 && random.below(3) === 0 && !collide(fault, last[0] as Fault); // it has one
    if (joins) last.push(fault);
    else rounds.push([fault]);
  }
  return rounds;
}

function collide(one: Fault, other: Fault): boolean {
  if (isOfDatabase(one) && isOfDatabase(other)) return true;
  const touched = (fault: Fault) => {
    if (fault.kind === "rolling deployment") return new Set<Role>(instances);
    return new Set<Role>("link" in fault ? fault.link : "instance" in fault ? [fault.instance] : []);
  };
  return !touched(one).isDisjointFrom(touched(other));
}

function toFault(kind: Kind, random: Random, among = links): Fault {
  const milliseconds = 2000 + random.below(4000);
  switch (kind) {
    case "kill of an instance":
    case "kill of a worker":
    case "clock an hour ahead":
      return { kind, instance: random.pick(instances), milliseconds };
    case "cut":
    case "slow link":
    case "lossy link":
      return { kind, link: random.pick(among), milliseconds: 2 * milliseconds };
    case "cut in one direction": {
      const [from, to] = random.pick(among);
      return { kind, link: random.below(2) === 0 ? [from, to] : [to, from], milliseconds: 2 * milliseconds };
    }
    default:
      return { kind, milliseconds };
  }
}

function shuffle<T>(list: readonly T[], random: Random): T[] {
  const result = [...list];
  for (let last = result.length - 1; last > 0; last--) {
    const other = random.below(last + 1);
    [result[last], result[other]] = [result[other] as T, result[last] as T]; // both are in the list
  }
  return result;
}

/** For people. */
export function describeFault(fault: Fault): string {
  const where = "link" in fault ? ` ${fault.link.join(" → ")}` : "instance" in fault ? ` ${fault.instance}` : "";
  return `${fault.kind}${where}`;
}
