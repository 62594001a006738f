import { findNearest } from "@tenon/core/platform";

/** As `findNearest`, by what differs: in `posts/edit` and `posts/index` the same folder brings nothing nearer. */
export function findNearestPath(given: string, candidates: Iterable<string>): string | undefined {
  const near = [...candidates].filter((candidate) => {
    const [left, right] = withoutShared(given.split(/[/.]/), candidate.split(/[/.]/));
    return findNearest(left, [right]) !== undefined;
  });
  return findNearest(given, near);
}

function withoutShared(one: string[], other: string[]): [string, string] {
  while (one.length > 0 && other.length > 0 && one[0] === other[0]) {
    one.shift();
    other.shift();
  }
  while (one.length > 0 && other.length > 0 && one.at(-1) === other.at(-1)) {
    one.pop();
    other.pop();
  }
  return [one.join("/"), other.join("/")];
}
