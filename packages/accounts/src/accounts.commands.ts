import { userInfo } from "node:os";
import { dto, HttpError, inject, integer, route } from "@tenon/core";
import { AccountEvents } from "./account-events.ts";
import { AccountSecondFactor } from "./account-second-factor.ts";
import { type AccountUser, AccountUsers } from "./account-users.ts";
import { Accounts } from "./accounts.ts";

const LogQuery = dto({ limit: integer("min=1", "max=10000").describe("How many, the newest first; 100 without it") });

/**
 * `accounts verify`, `reset`, `disable-2fa`, `end-sessions` and `log` on the CLI platform. Declare it to add them. The
 * audit log names the user of the operating system who ran them.
 */
export class AccountCommands {
  readonly #accounts = inject(Accounts);
  readonly #users = inject(AccountUsers);
  readonly #events = inject(AccountEvents);
  readonly #secondFactor = inject(AccountSecondFactor);

  readonly verify = route.command(
    "accounts/verify/:email",
    { summary: "Mark the address of an account as verified" },
    async (ctx) => {
      const { id, email } = await this.#find(ctx.param("email"));
      await this.#accounts.verifyAs(operator(), id);
      return { email, verified: true };
    },
  );

  readonly reset = route.command(
    "accounts/reset/:email",
    { summary: "Send a link to choose a new password to the address of an account" },
    async (ctx) => {
      const user = await this.#find(ctx.param("email"));
      await this.#accounts.requestResetAs(operator(), user);
      return { email: user.email, mail: "queued" };
    },
  );

  readonly disableSecondFactor = route.command(
    "accounts/disable-2fa/:email",
    { summary: "Remove the second factor and the recovery codes of an account" },
    async (ctx) => {
      const { id, email } = await this.#find(ctx.param("email"));
      if (!(await this.#secondFactor.disable(id, operator()))) {
        throw new HttpError(409, `${email} has no second factor.`);
      }
      return { email, second_factor: false };
    },
  );

  readonly endSessions = route.command(
    "accounts/end-sessions/:email",
    { summary: "End all sessions and refresh tokens of an account" },
    async (ctx) => {
      const { id, email } = await this.#find(ctx.param("email"));
      await this.#accounts.endSessions(id, operator());
      return { email, sessions: "ended" };
    },
  );

  readonly log = route.command(
    "accounts/log/:email",
    { summary: "Show the audit log of an account, the newest entry first", query: LogQuery },
    async (ctx, { query }) => {
      const { id } = await this.#find(ctx.param("email"));
      const events = await this.#events.list(id, query.limit);
      return events.map(({ created_at, event, actor, address, client }) => ({
        created_at,
        event,
        actor,
        address,
        client,
      }));
    },
  );

  async #find(email: string): Promise<AccountUser> {
    const user = await this.#users.findByEmail(email);
    if (user === undefined) throw new HttpError(404, `no account has the address ${email}.`);
    return user;
  }

  routes() {
    return [this.verify, this.reset, this.disableSecondFactor, this.endSessions, this.log];
  }
}

/** Containers run as users without a name. */
function operator(): `operator:${string}` {
  try {
    return `operator:${userInfo().username}`;
  } catch {
    return `operator:uid ${process.getuid?.() ?? "unknown"}`;
  }
}
