/** Waits for `work`, at most `milliseconds`; then for the result of `onTimeout`, which may throw. */
export async function withTimeout<T>(work: Promise<T>, milliseconds: number, onTimeout: () => T): Promise<T> {
  const late = Promise.withResolvers<T>();
  const timer = setTimeout(() => late.resolve(Promise.try(onTimeout)), milliseconds);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for `work`, at most `milliseconds`. Returns whether it ended in time; rejects when it rejects in time. */
export function endsInTime(work: unknown, milliseconds: number): Promise<boolean> {
  const ended = Promise.resolve(work).then(() => true);
  return withTimeout(ended, milliseconds, () => false);
}
