/**
 * Processor time of the shortest of several runs, all threads of this process together, without other load on the
 * machine. A test that bounds it leaves a factor of twenty, so that it fails for a wrong algorithm only.
 */
export function leastMilliseconds(run: () => unknown, tries = 5): number {
  const times = Array.from({ length: tries }, () => {
    const start = process.cpuUsage();
    run();
    return sinceMilliseconds(start);
  });
  return Math.min(...times);
}

/** The same for asynchronous work, one run after the other. */
export async function leastMillisecondsOf(run: () => Promise<unknown>, tries = 5): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < tries; attempt++) {
    const start = process.cpuUsage();
    await run();
    least = Math.min(least, sinceMilliseconds(start));
  }
  return least;
}

function sinceMilliseconds(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
