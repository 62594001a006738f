/** A pause of the process counts as one step at most: after it every timer is due, and nothing has been read. */
const steps = 4;

/** Waits for `work`, at most `milliseconds`. Returns whether it ended in time; rejects when it rejects in time. */
export async function endsWithin(work: unknown, milliseconds: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  let left = steps;
  const timer = setInterval(() => {
    if (--left === 0) late.resolve(false);
  }, milliseconds / steps);
  try {
    return await Promise.race([Promise.resolve(work).then(() => true), late.promise]);
  } finally {
    clearInterval(timer);
  }
}
