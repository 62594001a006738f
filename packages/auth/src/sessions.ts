import { inject } from "@tenon/core";
import { Clock } from "./clock.ts";
import { digest } from "./digest.ts";
import { ExpiringRecords } from "./expiring-records.ts";
import { sessionSeconds } from "./settings.ts";

export interface Session {
  readonly user_id: string;
  readonly created_at: string;
}

/** Sessions of 24 hours. The store keeps a digest of the identifier, which is known to its holder alone. */
export class Sessions {
  readonly #records = inject(ExpiringRecords);
  readonly #clock = inject(Clock);

  /** Gives the identifier, a random UUID; one that a client brings along is never adopted. */
  async create(userId: string): Promise<string> {
    const id = this.#clock.uuid();
    const session: Session = { user_id: userId, created_at: this.#clock.timestamp() };
    await this.#records.set(keyOf(id), session, sessionSeconds);
    return id;
  }

  async find(id: string): Promise<Session | undefined> {
    const session = await this.#records.get<Session>(keyOf(id));
    return session && { user_id: session.user_id, created_at: session.created_at };
  }

  async destroy(id: string): Promise<void> {
    await this.#records.delete(keyOf(id));
  }
}

function keyOf(id: string): string {
  return `session:${digest(id)}`;
}
