/** The value below which a share of the sample lies, from 0 to 1. */
export function percentile(sample: readonly number[], share: number): number {
  const sorted = sample.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function median(sample: readonly number[]): number {
  return percentile(sample, 0.5);
}

/**
 * How well a measurement separates two classes (Mann-Whitney): the probability that one of the first is greater than one
 * of the second. 0.5 means that they cannot be told apart.
 */
export function areaUnderCurve(first: readonly number[], second: readonly number[]): number {
  let wins = 0;
  for (const a of first) for (const b of second) wins += a > b ? 1 : a === b ? 0.5 : 0;
  return wins / (first.length * second.length);
}

export function milliseconds(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} ms`;
}
