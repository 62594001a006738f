import { createHmac, timingSafeEqual } from "node:crypto";

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

/** `1764000000000-17.3.Zm9vYmFyYmF6cXV4`, see `ResumeIds`. */
const resumeId = /^(\d{1,15}-\d{1,15})\.((\d{1,15})\.[\w-]{16})$/;

export function isResumeId(text: string): boolean {
  return resumeId.test(text);
}

export function positionOf(id: string): Position | undefined {
  return parsePosition(resumeId.exec(id)?.[1] ?? "");
}

/** The part of an id that stays the same while a subscription goes on. */
export function ticketOf(id: string): string | undefined {
  return resumeId.exec(id)?.[2];
}

/**
 * The ids with which clients continue: a position, and a ticket that says where the subscription began and is signed for
 * the topic and the principal. So a client reads nothing that was published before it subscribed, whatever it sends.
 */
export class ResumeIds {
  readonly #store: { readonly secret: string };

  constructor(store: { readonly secret: string }) {
    this.#store = store;
  }

  /** `3.Zm9vYmFyYmF6cXV4` for a subscription that has begun at number 3. */
  toTicket(topic: string, principal: string, { epoch, number }: Position): string {
    // number 0 is before the first event of a topic, whose epoch is not known yet
    const text = JSON.stringify([topic, principal, number === 0 ? 0 : epoch, number]);
    const mac = createHmac("sha256", this.#store.secret).update(text).digest();
    return `${number}.${mac.toString("base64url", 0, 12)}`; // not a slice of a longer text, which would stay in memory
  }

  isFor(id: string, topic: string, principal: string): boolean {
    const [, text = "", ticket = "", since] = resumeId.exec(id) ?? [];
    const position = parsePosition(text);
    const number = Number(since);
    if (position === undefined || position.number < number) return false;
    const expected = this.toTicket(topic, principal, { epoch: position.epoch, number });
    return expected.length === ticket.length && timingSafeEqual(Buffer.from(expected), Buffer.from(ticket));
  }
}

/** Whether all events up to `other` are at or before this position. */
export function hasReached(position: Position, other: Position): boolean {
  return position.epoch === other.epoch && position.number >= other.number;
}
