/** Waits for `work`, at most `milliseconds`. Returns whether it ended in time; rejects when it rejects in time. */
export async function endsInTime(work: unknown, milliseconds: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), milliseconds);
  try {
    return await Promise.race([Promise.resolve(work).then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
