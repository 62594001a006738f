/**
 * The shortest of several runs: whatever else the machine does only makes a run longer. A test that bounds it leaves a
 * factor of twenty, so that it fails for a wrong algorithm and not for a busy machine.
 */
export function leastMilliseconds(run: () => unknown, tries = 5): number {
  const times = Array.from({ length: tries }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return Math.min(...times);
}

/** The same for what is asynchronous, one run after the other. */
export async function leastMillisecondsOf(run: () => Promise<unknown>, tries = 5): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < tries; attempt++) {
    const start = performance.now();
    await run();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}
