/** The lines to remove and to add, with `-` and `+`, and a line of context around them. */
export function diffLines(before: string, after: string): string {
  const changes = toChanges(before.trimEnd().split("\n"), after.trimEnd().split("\n"));
  const isNear = (index: number) => changes.slice(Math.max(0, index - 1), index + 2).some(({ sign }) => sign !== " ");
  const lines = changes.map(({ sign, line }, index) => {
    if (isNear(index)) return `  ${sign} ${line}`.trimEnd();
    return index > 0 && isNear(index - 1) ? "  …" : undefined;
  });
  return `${lines.filter((line) => line !== undefined).join("\n")}\n`;
}

interface LineChange {
  readonly sign: " " | "-" | "+";
  readonly line: string;
}

/** By the longest common subsequence: files of the templates are short. */
function toChanges(before: readonly string[], after: readonly string[]): LineChange[] {
  const lengths = before.map(() => after.map(() => 0));
  const lengthAt = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (const [i, left] of [...before.entries()].reverse()) {
    const row = lengths[i] ?? [];
    for (const [j, right] of [...after.entries()].reverse()) {
      row[j] = left === right ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
    }
  }
  const changes: LineChange[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [left, right] = [before[i], after[j]];
    if (left !== undefined && left === right) {
      changes.push({ sign: " ", line: left });
      i++;
      j++;
    } else if (left !== undefined && (right === undefined || lengthAt(i + 1, j) >= lengthAt(i, j + 1))) {
      changes.push({ sign: "-", line: left });
      i++;
    } else {
      changes.push({ sign: "+", line: right ?? "" });
      j++;
    }
  }
  return changes;
}
