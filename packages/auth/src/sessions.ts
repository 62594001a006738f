import { inject } from "@tenon/core";
import { KeyValue } from "@tenon/data";
import { Clock } from "./clock.ts";
import { digest } from "./digest.ts";
import { sessionSeconds } from "./settings.ts";

/** Seconds that the store keeps a session past its end, so that who comes too late can be told from who was never there. */
const keptOn = 3600;

export interface Session {
  readonly user_id: string;
  readonly created_at: string;
}

interface StoredSession extends Session {
  readonly expires: number;
}

/** Sessions of 24 hours. The store keeps a digest of the identifier, which is known to its holder alone. */
export class Sessions {
  readonly #store = inject(KeyValue);
  readonly #clock = inject(Clock);

  /** Gives the identifier, a random UUID; one that a client brings along is never adopted. */
  async create(userId: string): Promise<string> {
    const id = this.#clock.uuid();
    const session: StoredSession = {
      user_id: userId,
      created_at: this.#clock.timestamp(),
      expires: this.#clock.now() + sessionSeconds * 1000,
    };
    await this.#store.set(keyOf(id), session, { ttl: sessionSeconds + keptOn });
    return id;
  }

  async find(id: string): Promise<Session | undefined> {
    const stored = await this.#store.get<StoredSession>(keyOf(id));
    if (stored === undefined) return undefined;
    if (stored.expires <= this.#clock.now()) {
      await this.destroy(id); // a clock that is set back must not bring it back
      return undefined;
    }
    return { user_id: stored.user_id, created_at: stored.created_at };
  }

  async destroy(id: string): Promise<void> {
    await this.#store.delete(keyOf(id));
  }
}

function keyOf(id: string): string {
  return `session:${digest(id)}`;
}
