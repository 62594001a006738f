import { type Context, inject } from "@tenon/core";
import { tooManyRequests } from "@tenon/core/internal";
import { networkOf } from "@tenon/core/middleware";
import { KeyValue } from "@tenon/data";
import { AuthSettings } from "./settings.ts";

const windowSeconds = 3600;

/**
 * Limits the users that one network creates in an hour, across all instances on one store. Registrations that fail do
 * not count: they leave nothing behind, and send no mail.
 */
export class RegistrationLimit {
  readonly #store = inject(KeyValue);
  readonly #settings = inject(AuthSettings);

  /** Throws a 429 over the limit. `register` creates the user, or returns undefined. Without `ctx` nothing is limited. */
  async run<User>(ctx: Context | undefined, register: () => Promise<User | undefined>): Promise<User | undefined> {
    const { loginLimit, registrationLimit } = this.#settings;
    if (ctx === undefined || !loginLimit) return register();
    const key = `registrations:${networkOf(ctx.request().address())}`;
    const count = (await this.#store.get<number>(key)) ?? 0;
    if (count >= registrationLimit) throw tooManyRequests((await this.#store.ttl(key)) ?? 0);
    const user = await register();
    if (user !== undefined) await this.#store.increment(key, { ttl: windowSeconds });
    return user;
  }
}
