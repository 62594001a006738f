/** The candidate of which at most a third differs from a misspelt name; the longer one of two that are equally close. */
export function findNearest(given: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const most = Math.ceil(candidate.length / 3);
    if (Math.abs(given.length - candidate.length) > most) continue; // spares the start of an application most pairs
    const distance = countEdits(given, candidate);
    if (distance > most) continue;
    if (distance < least || (distance === least && candidate.length > (best?.length ?? 0))) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

/** How many letters must be added, removed, changed or swapped with their neighbour to make one text the other. */
function countEdits(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] as number; // only cells that are filled in are read
  for (let row = 1; row <= from.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (same ? 0 : 1),
          swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(from.length, to.length);
}
