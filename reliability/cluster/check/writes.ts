import { Findings, groupBy, type Line, type Lines, type Verdict } from "./lines.ts";

/** CL1: what was acknowledged is there, and nothing else than what was requested. */
export function checkWrites(lines: Lines): Verdict {
  return new Findings()
    .atLeast("users", lines.ok("register").length, 5)
    .atLeast("posts", lines.ok("create post").length, 10)
    .atLeast("updates", lines.ok("update post").length, 5)
    .atLeast("deletes", lines.ok("delete post").length, 3)
    .atLeast("keys", lines.ok("create key").length, 5)
    .atLeast("revocations", lines.ok("revoke key").length, 3)
    .show("unknown outcomes", lines.of(...writes).filter(({ outcome }) => outcome === "unknown").length)
    .none("lost users", findLostUsers(lines))
    .none("wrong posts", findWrongPosts(lines))
    .none("wrong keys", findWrongKeys(lines))
    .done();
}

const writes = ["register", "create post", "update post", "delete post", "create key", "revoke key"];

function findLostUsers(lines: Lines): string[] {
  const reads = groupBy(lines.ok("read user"), "user");
  return lines
    .ok("register")
    .flatMap(({ values }) =>
      explain(String(values.user), reads, ({ found }) => (found === true ? [] : ["is not there"])),
    );
}

/** The last acknowledged state, or one whose outcome is unknown. */
function findWrongPosts(lines: Lines): string[] {
  const reads = groupBy(lines.ok("read post"), "post");
  const changes = lines
    .of("create post", "update post", "delete post")
    .filter(({ values }) => values.post !== undefined);
  return [...groupBy(changes, "post")].flatMap(([post, all]) => {
    const allowed = statesOf(all, ({ op, values }) => (op === "delete post" ? null : String(values.title)));
    return explain(post, reads, ({ title }) =>
      allowed.has(title === null ? null : String(title)) ? [] : [title === null ? "is not there" : "has another title"],
    );
  });
}

function findWrongKeys(lines: Lines): string[] {
  const reads = groupBy(lines.ok("read key"), "key");
  const changes = lines.of("create key", "revoke key").filter(({ values }) => values.key !== undefined);
  return [...groupBy(changes, "key")].flatMap(([key, all]) => {
    const allowed = statesOf(all, ({ op }) => op === "create key");
    return explain(key, reads, ({ found }) =>
      allowed.has(found === true) ? [] : [found === true ? "is valid although it was revoked" : "is not there"],
    );
  });
}

/** A change that was refused is not among them. One with an unknown outcome may happen at any time. */
function statesOf<T>(changes: readonly Line[], stateOf: (line: Line) => T): Set<T> {
  const known = changes.filter(({ outcome }) => outcome === "ok").toSorted((one, other) => one.ended - other.ended);
  const doubtful = changes.filter(({ outcome }) => outcome === "unknown");
  return new Set([...known.slice(-1), ...doubtful].map(stateOf));
}

/** What was never read back is not proven. */
function explain(
  name: string,
  reads: ReadonlyMap<string, readonly Line[]>,
  judge: (values: Line["values"]) => readonly string[],
): string[] {
  const found = reads.get(name);
  if (found === undefined) return [`${name} was not read back`];
  return found.flatMap(({ values }) => judge(values)).map((fault) => `${name} ${fault}`);
}
