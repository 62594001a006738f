/** A pause of the process counts as one step at most: after it every timer is due, and nothing has been read. */
const steps = 4;

/** Waits for `work`, at most `milliseconds`; then for the result of `onTimeout`, which may throw. */
export async function withTimeout<T>(work: Promise<T>, milliseconds: number, onTimeout: () => T): Promise<T> {
  const late = Promise.withResolvers<T>();
  let left = steps;
  const timer = setInterval(() => {
    if (--left === 0) late.resolve(Promise.try(onTimeout));
  }, milliseconds / steps);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearInterval(timer);
  }
}

/** Waits for `work`, at most `milliseconds`. Returns whether it ended in time; rejects when it rejects in time. */
export function endsInTime(work: unknown, milliseconds: number): Promise<boolean> {
  const ended = Promise.resolve(work).then(() => true);
  return withTimeout(ended, milliseconds, () => false);
}
