import { closeSync, openSync, writeSync } from "node:fs";

/**
 * One line of a history, as JSON. `check.ts` reads it without sharing code, so this is the whole agreement:
 *
 * | op | values | ok means |
 * |---|---|---|
 * | start | stores, instances, seed | |
 * | fault | kind, and what the harness adds | |
 * | register | user | |
 * | create post, update post | post (once it is known), title | |
 * | delete post | post | |
 * | create key, revoke key | key (once it is known) | |
 * | read user | user, found | answered |
 * | read post | post, title (null: there is none) | answered |
 * | read key | key, found | answered |
 * | use token | kind, token | it was accepted; failed: refused |
 * | guess | account, limit | the password was compared; failed: refused by the limit |
 * | open session | session, seconds | |
 * | use session | session, instance | it was accepted; failed: refused |
 * | end session | session | |
 * | enqueue | item, key (if any), job and created (once they are known) | committed |
 * | roll back | item | the transaction was rolled back |
 * | schedule | last (its last tick, in milliseconds), jobs (how many it has added), period | read together |
 * | item | item, job | a row that is in the database at the end |
 * | job | job, name | the same |
 * | run | job, item | the same |
 * | publish | lane, number | |
 * | subscribe | subscriber, connection | the subscriber has its position |
 * | event | subscriber, connection, lane, number | received |
 * | reset | subscriber, connection | received |
 */
export interface Line {
  readonly op: string;
  readonly client: string;
  /** Milliseconds since 1970. */
  readonly invoked: number;
  readonly ended: number;
  readonly outcome: Outcome;
  readonly values: Readonly<Record<string, string | number | boolean | null>>;
}

/** `failed`: it was refused and has certainly not happened. `unknown`: it may have happened, or may still happen. */
export type Outcome = "ok" | "failed" | "unknown";

export type Values = Line["values"];

/** What clients did and learned, in a file that only grows. */
export class History {
  readonly file: string;
  readonly #descriptor: number;

  constructor(file: string) {
    this.file = file;
    this.#descriptor = openSync(file, "a");
  }

  write(line: Line): void {
    writeSync(this.#descriptor, `${JSON.stringify(line)}\n`);
  }

  /** Something that was seen, at this moment. */
  note(op: string, client: string, values: Values): void {
    const now = Date.now();
    this.write({ op, client, invoked: now, ended: now, outcome: "ok", values });
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
