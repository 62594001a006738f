import { diff } from "node:util";

const signs = { "-1": "+", "0": " ", "1": "-" } as const;

/** The lines to remove and to add, with `-` and `+`, and a line of context around them. */
export function diffLines(before: string, after: string): string {
  const changes = diff(before.trimEnd().split("\n"), after.trimEnd().split("\n"));
  const isNear = (index: number) => changes.slice(Math.max(0, index - 1), index + 2).some(([change]) => change !== 0);
  const lines = changes.map(([change, line], index) => {
    if (isNear(index)) return `  ${signs[change]} ${line}`.trimEnd();
    return index > 0 && isNear(index - 1) ? "  …" : undefined;
  });
  return `${lines.filter((line) => line !== undefined).join("\n")}\n`;
}
