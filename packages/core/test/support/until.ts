import { setTimeout as sleep } from "node:timers/promises";

const patience = 240_000;

/** Waits for a state that no event announces. Rejects after four minutes: a test in an endless loop would not say why. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  pause: () => Promise<unknown> = () => sleep(2), // a busy loop would take the processor from the tests beside it
): Promise<void> {
  const deadline = performance.now() + patience;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`no ${what} in ${patience} ms`);
    await pause();
  }
}
