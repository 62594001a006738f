import { type Context, type HttpError, inject } from "@tenon/core";
import { digest, tooManyRequests } from "@tenon/core/internal";
import { networkOf } from "@tenon/core/middleware";
import { KeyValue } from "@tenon/data";

const windowSeconds = 3600;
const perAccount = 5;
const perClient = 30;
const perAddress = 20;

type Action = "reset" | "verification" | "email change" | "recovery codes";

/** Limits what causes mails: counts per account and per client, across all instances on one store. */
export class AccountLimits {
  readonly #store = inject(KeyValue);

  /** Throws a 429 after 30 requests of one client in an hour. */
  async checkClient(action: Action, ctx: Context): Promise<void> {
    const key = `account-requests:client:${action}:${networkOf(ctx.request().address())}`;
    if ((await this.#count(key)) > perClient) throw await this.#refuse(key);
  }

  /** Throws a 429 after five requests for one account in an hour. For requests that its owner makes. */
  async checkAccount(action: Action, userId: string): Promise<void> {
    const key = accountKey(action, userId);
    if ((await this.#count(key)) > perAccount) throw await this.#refuse(key);
  }

  /** Whether an address may get another mail: five in an hour, whether or not an account has the address. */
  async allows(action: Action, email: string): Promise<boolean> {
    return (await this.#count(accountKey(action, toMailbox(email)))) <= perAccount;
  }

  /**
   * Whether an address may get another mail that it has not been asked for: 20 in an hour. A stranger could register an
   * address and delete the account, or change its password, again and again. The attempts of a job count once.
   */
  async mayReceive(email: string, ctx: Context): Promise<boolean> {
    const key = accountKey("mail", toMailbox(email));
    const isRetry = (ctx.get("job")?.attempt ?? 1) > 1;
    const isAllowed = isRetry || (await this.#count(key)) <= perAddress;
    if (!isAllowed) ctx.log.warn(`no mail was sent: the address has had ${perAddress} in this hour`);
    return isAllowed;
  }

  #count(key: string): Promise<number> {
    return this.#store.increment(key, { ttl: windowSeconds });
  }

  async #refuse(key: string): Promise<HttpError> {
    return tooManyRequests((await this.#store.ttl(key)) ?? 0);
  }
}

/** `ada+anything@example.com` reaches the mailbox of `ada@example.com`: a stranger could fill it under many addresses. */
function toMailbox(email: string): string {
  return email.toLowerCase().replace(/\+.*@/, "@");
}

function accountKey(action: Action | "mail", account: string): string {
  return `account-requests:account:${action}:${digest(account)}`;
}
