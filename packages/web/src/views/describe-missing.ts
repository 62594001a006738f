import { findNearest } from "@tenon/core/internal";

/** For a view or an asset that does not exist: its name, its folder and the nearest name. */
export function describeMissing(
  kind: "view" | "asset",
  name: string,
  folder: string | undefined,
  names: Iterable<string>,
): string {
  const near = findNearestPath(name, names);
  const place = folder === undefined ? "" : ` in ${folder}`;
  return `There is no ${kind} "${name}"${place}.${near === undefined ? "" : ` Did you mean "${near}"?`}`;
}

/** Compares only what differs: the shared folder makes `posts/edit` and `posts/index` no more similar. */
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
