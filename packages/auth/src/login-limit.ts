import { type Context, inject } from "@tenon/core";
import { createSecret, digest, tooManyRequests } from "@tenon/core/internal";
import { networkOf } from "@tenon/core/middleware";
import { KeyValue } from "@tenon/data";
import { AuthSettings } from "./settings.ts";

const perAccount = { failures: 20, seconds: 15 * 60 };
const perAddress = { failures: 200, seconds: 5 * 60 };
const knownClient = { cookie: "known_client", seconds: 90 * 86_400 };

/**
 * Limits password guessing: counts failures per account and per address, across all instances on one store. A browser
 * that has logged in to the account before has a count of its own, so that the failures of others cannot lock it out.
 */
export class LoginLimit {
  readonly #store = inject(KeyValue);
  readonly #enabled = inject(AuthSettings).loginLimit;

  /** Throws a 429 after too many failures for this account or from this address. */
  async check(account: string, ctx: Context): Promise<void> {
    if (!this.#enabled) return;
    const seconds = (await this.#isKnown(account, ctx))
      ? [await this.#secondsToWait(clientKey(account, ctx), perAccount.failures)]
      : await Promise.all([
          this.#secondsToWait(accountKey(account), perAccount.failures),
          this.#secondsToWait(addressKey(ctx), perAddress.failures),
        ]);
    const longest = Math.max(...seconds);
    if (longest > 0) throw tooManyRequests(longest);
  }

  async noteFailure(account: string, ctx: Context): Promise<void> {
    if (!this.#enabled) return;
    const counted = (await this.#isKnown(account, ctx)) ? clientKey(account, ctx) : accountKey(account);
    await Promise.all([
      this.#store.increment(counted, { ttl: perAccount.seconds }),
      this.#store.increment(addressKey(ctx), { ttl: perAddress.seconds }),
    ]);
  }

  /**
   * After a login on a page: the browser gets a cookie for 90 days and, for this account, a count of its own. A cookie
   * that is not known is replaced, because another site may have planted it.
   */
  async remember(account: string, ctx: Context): Promise<void> {
    if (!this.#enabled) return;
    const { cookie, seconds } = knownClient;
    const secret = (await this.#isKnown(account, ctx)) ? ctx.cookie(cookie) : createSecret();
    await this.#store.set(knownKey(account, secret), await this.#periodOf(account), { ttl: seconds });
    ctx.setCookie(cookie, secret, { maxAge: seconds });
  }

  /**
   * After a new password: forgets the failures of the account, which must not keep its owner out, and the browsers that
   * knew the old password, which would keep counts of their own.
   */
  async clear(account: string): Promise<void> {
    await this.#store.set(periodKey(account), createSecret(), { ttl: knownClient.seconds });
    await this.#store.delete(accountKey(account));
  }

  async #isKnown(account: string, ctx: Context): Promise<boolean> {
    const secret = ctx.cookie(knownClient.cookie);
    if (secret === "") return false;
    const period = await this.#store.get(knownKey(account, secret));
    return period !== undefined && period === (await this.#periodOf(account));
  }

  /** Another value after `clear()`; "" before the first one, and when every browser of that time is forgotten anyway. */
  async #periodOf(account: string): Promise<string> {
    return (await this.#store.get<string>(periodKey(account))) ?? "";
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

function clientKey(account: string, ctx: Context): string {
  return `login-failures:client:${toPair(account, ctx.cookie(knownClient.cookie))}`;
}

function periodKey(account: string): string {
  return `login-period:${digest(account)}`;
}

function knownKey(account: string, secret: string): string {
  return `login-known:${toPair(account, secret)}`;
}

function toPair(account: string, secret: string): string {
  return `${digest(account)}:${digest(secret)}`;
}
