import { setImmediate as turn } from "node:timers/promises";

const patience = 60_000;

/** Waits for a state that no event announces. Rejects after a minute: a test in an endless loop would not say why. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  pause: () => Promise<unknown> = turn,
): Promise<void> {
  const deadline = performance.now() + patience;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`no ${what} in ${patience} ms`);
    await pause();
  }
}
