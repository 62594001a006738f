import { inject } from "@tenon/core";
import { Clock } from "./clock.ts";
import { digest } from "./digest.ts";
import { ExpiringRecords } from "./expiring-records.ts";
import { sessionSeconds } from "./settings.ts";

export interface SessionRecord {
  readonly user_id: string;
  readonly created_at: string;
}

/** Login sessions of 24 hours. The store keeps only a digest of the session id. */
export class Sessions {
  readonly #records = inject(ExpiringRecords);
  readonly #clock = inject(Clock);

  /** Returns the new session id, a random UUID. An id sent by a client is never adopted (session fixation). */
  async create(userId: string): Promise<string> {
    const id = this.#clock.uuid();
    const session: SessionRecord = { user_id: userId, created_at: this.#clock.timestamp() };
    await this.#records.set(keyOf(id), session, sessionSeconds);
    return id;
  }

  async find(id: string): Promise<SessionRecord | undefined> {
    const session = await this.#records.get<SessionRecord>(keyOf(id));
    return session && { user_id: session.user_id, created_at: session.created_at };
  }

  async destroy(id: string): Promise<void> {
    await this.#records.delete(keyOf(id));
  }
}

function keyOf(id: string): string {
  return `session:${digest(id)}`;
}
