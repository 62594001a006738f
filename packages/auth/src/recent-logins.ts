import { Clock, type Context, inject } from "@tenon/core";
import { ExpiringRecords } from "@tenon/core/internal";
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

/** Which credentials have proved a password lately: sessions by their login, sessions and access tokens by a confirmation. */
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
    if (!hasToken(ctx)) {
      const session = await this.#sessions.current(ctx);
      if (session?.user_id !== userId) return false; // the guard has let in another credential of the request
      if (this.#clock.now() - Date.parse(session.created_at) < recentLoginSeconds * 1000) return true;
    }
    const confirmation = await this.#records.get<Confirmation>(kind, credential);
    return confirmation?.user_id === userId && confirmation.stamp === (await this.#logins.stampOf(userId));
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
