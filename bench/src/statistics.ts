export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? at(sorted, middle) : (at(sorted, middle - 1) + at(sorted, middle)) / 2;
}

export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}

function at(values: readonly number[], index: number): number {
  return values[index] as number; // within the list, as computed above
}

export interface Interval {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

/** Student's t for 99 % on two sides, by the degrees of freedom from 1. Beyond the list its last value is on the safe side. */
const students = [
  63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.25, 3.169, 3.106, 3.055, 3.012, 2.977, 2.947, 2.921, 2.898,
  2.878, 2.861, 2.845,
];

/** The geometric mean and its 99 % confidence interval: a ratio scatters by factors, up as far as down. */
export function intervalOf(values: readonly number[]): Interval {
  if (!values.every((value) => value > 0 && value < Number.POSITIVE_INFINITY)) {
    throw new Error(`an interval needs positive values, not ${values.join(", ")}`);
  }
  const logs = values.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  if (logs.length < 2) return { estimate: Math.exp(mean), low: 0, high: Number.POSITIVE_INFINITY };
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1);
  const half = at(students, Math.min(logs.length - 1, students.length) - 1) * Math.sqrt(variance / logs.length);
  return { estimate: Math.exp(mean), low: Math.exp(mean - half), high: Math.exp(mean + half) };
}
