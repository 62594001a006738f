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

/**
 * `1764000000000-17.1q9xz0a`: a position and a short hash (FNV-1a) of the topic that it is for, because a client may
 * subscribe to other topics when it reconnects, or in another order.
 */
export function formatId(topic: string, position: Position): string {
  return `${formatPosition(position)}.${tagOf(topic)}`;
}

/** Undefined for any other text. */
export function parseId(id: string): { readonly tag: string; readonly position: Position } | undefined {
  const [, text = "", tag] = /^([\d-]+)\.([\da-z]{1,7})$/.exec(id) ?? [];
  const position = parsePosition(text);
  return position === undefined || tag === undefined ? undefined : { tag, position };
}

export function tagOf(topic: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < topic.length; index++) {
    hash = Math.imul(hash ^ topic.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}

/** Before the first event of a topic, whatever its epoch will be. */
export const start: Position = Object.freeze({ epoch: 0, number: 0 });

/** Whether all events up to `other` are at or before this position. */
export function hasReached(position: Position, other: Position): boolean {
  return position.epoch === other.epoch && position.number >= other.number;
}
