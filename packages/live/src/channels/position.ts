/**
 * The place of an event in its topic. Numbers count up by one within an epoch, so that a gap can be seen; a store that
 * has lost its events begins a new epoch.
 */
export interface Position {
  readonly epoch: number;
  readonly number: number;
}

/** `1764000000000-17`. */
export function formatPosition({ epoch, number }: Position): string {
  return `${epoch}-${number}`;
}

/** Undefined for any other text, because clients send it. */
export function parsePosition(text: string): Position | undefined {
  const [, epoch, number] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  return epoch === undefined ? undefined : { epoch: Number(epoch), number: Number(number) };
}

/** Before the first event of a topic, whatever its epoch will be. */
export const start: Position = Object.freeze({ epoch: 0, number: 0 });

/** Whether all events up to `other` are at or before this position. */
export function hasReached(position: Position, other: Position): boolean {
  return position.epoch === other.epoch && position.number >= other.number;
}
