import { ApiKeys } from "@tenon/auth";
import { Clock, inject } from "@tenon/core";
import { Mailer } from "@tenon/mail";
import { AccountEvents, type Actor } from "./account-events.ts";
import { AccountStates } from "./account-states.ts";
import type { AccountStore } from "./account-tables.ts";
import { type AccountUser, AccountUsers } from "./account-users.ts";
import { type NoticedEvent, SecurityNotice } from "./mails.ts";

/** What takes an account from its owner. Until the mail is made, it may have another address or be gone. */
const toOldAddress: ReadonlySet<NoticedEvent> = new Set([
  "address change requested",
  "address changed",
  "account deleted",
]);

/** Notes a change in the audit log and tells the owner by mail, both in one transaction: that of the change where it has one. */
export class AccountChanges {
  readonly #events = inject(AccountEvents);
  readonly #states = inject(AccountStates);
  readonly #users = inject(AccountUsers);
  readonly #mailer = inject(Mailer);
  readonly #clock = inject(Clock);

  constructor() {
    inject(ApiKeys).onChange(({ userId, event, ctx }, transaction) =>
      this.noteOf(userId, event, ctx ?? "system", transaction),
    );
  }

  /** For a change that leaves the user as it was. */
  async noteOf(userId: string, event: NoticedEvent, actor: Actor, transaction: AccountStore): Promise<void> {
    const user = await this.#users.find(userId, transaction);
    if (user !== undefined) await this.note(user, event, actor, transaction);
  }

  /**
   * `user` as before the change: an address that is not that of the account any more gets the mail, too. Call it before
   * the state of the account changes.
   */
  async note(user: AccountUser, event: NoticedEvent, actor: Actor, transaction: AccountStore): Promise<void> {
    await this.#events.record(user.id, event, actor, transaction);
    const known = toOldAddress.has(event)
      ? { address: user.email, verified: await this.#states.isVerified(user, transaction) }
      : {};
    const input = { user_id: user.id, event, at: this.#clock.timestamp(), ...known };
    await this.#mailer.send(SecurityNotice, input, { transaction });
  }
}
