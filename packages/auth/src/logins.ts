import { type Context, inject, Log } from "@tenon/core";
import { digest } from "@tenon/core/internal";
import { DatabaseKeyValue } from "@tenon/data";

/**
 * All logins of a user. Each user has a stamp, "" at first, and whatever a login issues carries the stamp of its time:
 * another stamp ends sessions and refresh tokens and, with `endTokens` of the module, access tokens. The stamps are in the
 * database: access tokens are checked while Redis is away, and Redis cannot evict them.
 */
export class Logins {
  readonly #store = inject(DatabaseKeyValue);
  readonly #log = inject(Log);
  readonly #noted = new WeakMap<Context, { readonly userId: string; readonly stamp: string }>();

  /** "" while no logins of the user were ended. */
  async stampOf(userId: string): Promise<string> {
    return toStamp(await this.#store.get<number>(stampKey(userId)));
  }

  /**
   * Ends all logins of a user on all instances, in one write. Call it before and after the commit of a new password: a
   * login that has compared the old one may still run. Returns the new stamp.
   */
  async endAll(userId: string): Promise<string> {
    // without a time to live: families of refresh tokens live for as long as they are used
    const stamp = toStamp(await this.#store.increment(stampKey(userId)));
    this.#log.info({ event: "logins ended", user_id: userId });
    return stamp;
  }

  /** For a check of a password: the stamp that was read before the check, which what this request issues carries. */
  note(ctx: Context, userId: string, stamp: string): void {
    this.#noted.set(ctx, { userId, stamp });
  }

  /** The stamp for what this request issues to the user: the one that was noted, otherwise the current one. */
  async stampFor(ctx: Context, userId: string): Promise<string> {
    const noted = this.#noted.get(ctx);
    return noted?.userId === userId ? noted.stamp : this.stampOf(userId);
  }
}

/** A count: what `increment` returns tells whether others ended the logins at the same time. */
function toStamp(count: number | undefined): string {
  return count === undefined ? "" : String(count);
}

function stampKey(userId: string): string {
  return `login-stamp:${digest(userId)}`;
}
