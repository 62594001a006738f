/** Rotates the start and reverses every second turn, so that no peer always comes first, or after the same one. */
export function inTurn<T>(list: readonly T[], turn: number): T[] {
  const start = list.length === 0 ? 0 : Math.floor(turn / 2) % list.length;
  const rotated = [...list.slice(start), ...list.slice(0, start)];
  return turn % 2 === 0 ? rotated : rotated.toReversed();
}
