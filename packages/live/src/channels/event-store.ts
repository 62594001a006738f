import { randomBytes } from "node:crypto";
import type { AnyDatabase } from "@tenon/data";
import type { LiveEvent } from "./live-event.ts";
import type { Position } from "./position.ts";

/** The channel on which processes hear that a topic has new events. */
export const liveChannel = "tenon_live";

/** Called when a topic may have new events; without a topic, any of them may. */
export type Wake = (topic?: string) => void;

/** Events after a position; without one, only the position of the newest event. */
export interface Asked {
  readonly topic: string;
  readonly after: Position | undefined;
}

export interface Batch {
  /** In order, at most as many as requested. */
  readonly events: readonly LiveEvent[];
  /** The position of the newest event of the topic. */
  readonly last: Position;
  /** Whether events after the position are gone: they are no longer in the buffer, or the store has lost them. */
  readonly hasGap: boolean;
}

/** Assigns the ids of events and keeps the last ones of each topic: the port that each kind of store implements. */
export interface EventStore {
  /** Who gets what is published. */
  readonly reach: "process" | "workers" | "instances";
  /** Whether `append` takes a transaction of the application's database. */
  readonly joinsTransactions: boolean;
  /** Signs the ids of clients: the same in all processes that share the store. Known after `open()`. */
  readonly secret: string;
  open(): Promise<void>;
  /** Called before the first subscriber: a process that only publishes needs no connection for it. */
  listen(wake: Wake): void;
  close(): Promise<void>;
  /** Resolves when the event is stored. With a transaction, it is stored as part of it. */
  append(topic: string, name: string, text: string, transaction?: AnyDatabase): Promise<void>;
  /** One read for all topics. `limit` is for each of them. */
  read(asked: readonly Asked[], limit: number): Promise<Batch[]>;
  /** Makes a gap in place of an event that was lost after its commit. Left out where none is. */
  skip?(topic: string): Promise<void>;
}

/**
 * What a store has found after a position. `last` is undefined for a topic without events so far, whose position has the
 * epoch `empty`.
 */
export function toBatch(
  last: Position | undefined,
  after: Position | undefined,
  events: readonly LiveEvent[],
  empty = 0,
): Batch {
  const isStart = after?.number === 0 && after.epoch === empty;
  if (after === undefined || last === undefined) {
    return { events: [], last: last ?? { epoch: empty, number: 0 }, hasGap: after !== undefined && !isStart };
  }
  const isSameEpoch = after.epoch === last.epoch || isStart;
  // what is after a hole is left for the next read, which has the gap
  const hole = events.findIndex(({ position }, index) => position.number !== after.number + 1 + index);
  const hasGap = !isSameEpoch || hole === 0 || (events.length === 0 && after.number !== last.number);
  return { events: hasGap ? [] : events.slice(0, hole < 0 ? events.length : hole), last, hasGap };
}

export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}
