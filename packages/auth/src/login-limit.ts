import { type Context, HttpError, inject } from "@tenon/core";
import { networkOf } from "@tenon/core/middleware";
import { KeyValue } from "@tenon/data";
import { digest } from "./digest.ts";
import { AuthSettings } from "./settings.ts";

const perAccount = { failures: 20, seconds: 15 * 60 };
const perAddress = { failures: 200, seconds: 5 * 60 };

/** Slows down guessing: only failures count, per account and per address. Shared by all instances on one store. */
export class LoginLimit {
  readonly #store = inject(KeyValue);
  readonly #enabled = inject(AuthSettings).loginLimit;

  /** Throws a 429 when there were too many failures for this account or from this address. */
  async check(account: string, ctx: Context): Promise<void> {
    if (!this.#enabled) return;
    const [byAccount = 0, byAddress = 0] = await Promise.all([
      this.#store.get<number>(accountKey(account)),
      this.#store.get<number>(addressKey(ctx)),
    ]);
    if (byAccount >= perAccount.failures) throw tooMany(perAccount.seconds);
    if (byAddress >= perAddress.failures) throw tooMany(perAddress.seconds);
  }

  async noteFailure(account: string, ctx: Context): Promise<void> {
    if (!this.#enabled) return;
    await Promise.all([
      this.#store.increment(accountKey(account), { ttl: perAccount.seconds }),
      this.#store.increment(addressKey(ctx), { ttl: perAddress.seconds }),
    ]);
  }
}

function accountKey(account: string): string {
  return `login-failures:account:${digest(account)}`;
}

function addressKey(ctx: Context): string {
  return `login-failures:address:${networkOf(ctx.request().address())}`;
}

function tooMany(seconds: number): HttpError {
  return new HttpError(429, "Too Many Requests", { headers: { "retry-after": String(seconds) } });
}
