/** Each turn begins with another one, and every second turn goes backwards: none always comes first, or after the same. */
export function inTurn<T>(list: readonly T[], turn: number): T[] {
  const start = list.length === 0 ? 0 : Math.floor(turn / 2) % list.length;
  const rotated = [...list.slice(start), ...list.slice(0, start)];
  return turn % 2 === 0 ? rotated : rotated.toReversed();
}
