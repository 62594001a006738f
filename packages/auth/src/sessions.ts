import { Clock, inject } from "@tenon/core";
import { ExpiringRecords } from "@tenon/core/internal";
import { sessionSeconds } from "./settings.ts";

export interface SessionRecord {
  readonly user_id: string;
  readonly created_at: string;
}

const kind = "session";

/** Login sessions of 24 hours. The store keeps only a digest of the session id. */
export class Sessions {
  readonly #records = inject(ExpiringRecords);
  readonly #clock = inject(Clock);

  /** Returns the new session id, a random UUID. An id sent by a client is never adopted (session fixation). */
  async create(userId: string): Promise<string> {
    const id = this.#clock.uuid();
    const session: SessionRecord = { user_id: userId, created_at: this.#clock.timestamp() };
    await this.#records.set(kind, id, session, sessionSeconds);
    return id;
  }

  find(id: string): Promise<SessionRecord | undefined> {
    return this.#records.get<SessionRecord>(kind, id);
  }

  async destroy(id: string): Promise<void> {
    await this.#records.delete(kind, id);
  }
}
