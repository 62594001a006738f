import { setTimeout as sleep } from "node:timers/promises";

const hang = 60_000;

/** The value or the error of a call. A call that never ends fails the test. */
export async function settle<T>(call: Promise<T>): Promise<{ readonly value?: T; readonly error?: unknown }> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the call never ended")), hang);
  });
  try {
    return { value: await Promise.race([call, late]) };
  } catch (error) {
    if (error instanceof Error && error.message === "the call never ended") throw error;
    return { error };
  } finally {
    clearTimeout(timer);
  }
}

/** Retries until the call succeeds, for half a minute at least: a busy machine may take seconds to start a thread. */
export async function recovered<T>(call: () => Promise<T>): Promise<T> {
  let last: unknown;
  for (let attempt = 0; attempt < 600; attempt++) {
    const { value, error } = await settle(call());
    if (error === undefined) return value as T; // it did not fail, so there is a value
    last = error;
    await sleep(50);
  }
  throw new Error("it did not recover", { cause: last });
}
