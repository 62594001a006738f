/** An operation as far as messages name it. */
interface Named {
  readonly id: string;
  readonly path: string;
  readonly security: readonly string[];
}

/** How many responses had each status. */
type Counts = Readonly<Record<number, number>>;

const locked = new Set(["401", "403"]);
const rejected = new Set(["400", "413", "415", "422"]);
const enough = 5; // so many valid requests are not rejected by chance

/** Throws where no valid request has reached the work of the handler: such a run shows nothing about it. */
export function refuseUnreached(operation: Named, counts: Counts): void {
  const seen = Object.keys(counts);
  const valid = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (valid === 0) return;
  const reason =
    describeLockedOut(operation, seen) ?? (valid < enough ? undefined : describeUnreached(operation, seen));
  if (reason !== undefined) throw new Error(`fuzzContract(): ${reason}`);
}

function describeLockedOut({ id, security }: Named, seen: readonly string[]): string | undefined {
  if (security.length === 0 || !seen.every((status) => locked.has(status))) return undefined;
  return `every request to ${id} was rejected with ${seen.join(" and ")}. Return credentials for ${security.join(", ")} from the option headers.`;
}

function describeUnreached({ id, path }: Named, seen: readonly string[]): string | undefined {
  if (seen.every((status) => rejected.has(status))) {
    return `no generated request to ${id} was accepted: every response was ${seen.join(" or ")}. Declare its rules so that the document shows them, or name it in the option skip.`;
  }
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
  const isUnreached = (status: string) => status === "404" || rejected.has(status) || locked.has(status);
  if (names.length === 0 || !seen.every(isUnreached)) return undefined;
  const example = names.map((name) => `${name}: …`).join(", ");
  return `no request to ${id} found what its path names: every response was ${seen.join(" or ")}. Give values that exist in the option params; where requests change or delete them, a function that creates them: params: async () => ({ ${example} }). Or name it in the option skip.`;
}
