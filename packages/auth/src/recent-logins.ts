import { Clock, type Context, inject } from "@tenon/core";
import { ExpiringRecords } from "./expiring-records.ts";
import { Logins } from "./logins.ts";
import { Sessions } from "./sessions.ts";
import { sessionCookie } from "./settings.ts";

/** Seconds for which a login or its confirmation is recent. */
export const recentLoginSeconds = 10 * 60;

interface Confirmation {
  readonly user_id: string;
  readonly stamp: string;
}

const kind = "recent-login";

/** Which sessions and access tokens have proved a password lately, by their login or by a confirmation. */
export class RecentLogins {
  readonly #records = inject(ExpiringRecords);
  readonly #sessions = inject(Sessions);
  readonly #logins = inject(Logins);
  readonly #clock = inject(Clock);

  /** Call it when the user of a guarded request has given the password again: its session or access token is recent. */
  async confirm(ctx: Context): Promise<void> {
    const userId = ctx.get("user_id");
    const credential = credentialOf(ctx);
    if (userId === undefined || credential === "") throw new TypeError("confirm() takes a request with a login");
    const confirmation: Confirmation = { user_id: userId, stamp: await this.#logins.stampFor(ctx, userId) };
    await this.#records.set(kind, credential, confirmation, recentLoginSeconds);
  }

  /** Whether the user that a guard has found logged in, or confirmed this login, in the last 10 minutes. */
  async isRecent(ctx: Context): Promise<boolean> {
    const userId = ctx.get("user_id");
    const credential = credentialOf(ctx);
    if (userId === undefined || credential === "") return false;
    const stamp = await this.#logins.stampOf(userId);
    if (hasToken(ctx)) {
      const { auth_time = 0, stamp: own } = ctx.get("user_claims") ?? {};
      if (own === stamp && this.#isRecent(auth_time * 1000)) return true;
    } else {
      const session = await this.#sessions.current(ctx);
      if (session?.user_id !== userId) return false; // the guard has let in another credential of the request
      if (this.#isRecent(Date.parse(session.created_at))) return true;
    }
    const confirmation = await this.#records.get<Confirmation>(kind, credential);
    return confirmation?.user_id === userId && confirmation.stamp === stamp;
  }

  #isRecent(time: number): boolean {
    return this.#clock.now() - time < recentLoginSeconds * 1000;
  }
}

/** What the guard has checked; "" for an API key, which cannot be confirmed. */
function credentialOf(ctx: Context): string {
  if (hasToken(ctx)) return `token:${ctx.header("authorization")}`;
  const id = ctx.cookie(sessionCookie);
  return ctx.get("api_key") !== undefined || id === "" ? "" : `session:${id}`;
}

/** Only the bearer guard sets an e-mail address: a request may carry a session, too. */
function hasToken(ctx: Context): boolean {
  return ctx.get("user_email") !== undefined;
}
