import { type Context, HttpError, inject } from "@tenon/core";
import { digest } from "@tenon/core/internal";
import { networkOf } from "@tenon/core/middleware";
import { KeyValue } from "@tenon/data";
import { AuthSettings } from "./settings.ts";

const perAccount = { failures: 20, seconds: 15 * 60 };
const perAddress = { failures: 200, seconds: 5 * 60 };

/** Limits password guessing: counts failures per account and per address, across all instances on one store. */
export class LoginLimit {
  readonly #store = inject(KeyValue);
  readonly #enabled = inject(AuthSettings).loginLimit;

  /** Throws a 429 after too many failures for this account or from this address. */
  async check(account: string, ctx: Context): Promise<void> {
    if (!this.#enabled) return;
    const seconds = await Promise.all([
      this.#secondsToWait(accountKey(account), perAccount.failures),
      this.#secondsToWait(addressKey(ctx), perAddress.failures),
    ]);
    const retryAfter = Math.ceil(Math.max(...seconds));
    if (retryAfter > 0) {
      throw new HttpError(429, "Too Many Requests", { headers: { "retry-after": String(retryAfter) } });
    }
  }

  async noteFailure(account: string, ctx: Context): Promise<void> {
    if (!this.#enabled) return;
    await Promise.all([
      this.#store.increment(accountKey(account), { ttl: perAccount.seconds }),
      this.#store.increment(addressKey(ctx), { ttl: perAddress.seconds }),
    ]);
  }

  /** Seconds until the window ends; 0 below the limit. */
  async #secondsToWait(key: string, failures: number): Promise<number> {
    const count = (await this.#store.get<number>(key)) ?? 0;
    return count < failures ? 0 : ((await this.#store.ttl(key)) ?? 0);
  }
}

function accountKey(account: string): string {
  return `login-failures:account:${digest(account)}`;
}

function addressKey(ctx: Context): string {
  return `login-failures:address:${networkOf(ctx.request().address())}`;
}
