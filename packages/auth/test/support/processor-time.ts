/**
 * Processor time of the shortest of several runs, one after the other, all threads of this process together, without other
 * load on the machine. For comparisons with other work of the same machine only.
 */
export async function leastMillisecondsOf(run: () => Promise<unknown>, tries = 5): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < tries; attempt++) {
    const start = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
