import { Clock, inject } from "@tenon/core";
import { Mailer } from "@tenon/mail";
import { AccountEvents, type Actor } from "./account-events.ts";
import type { AccountStore } from "./account-tables.ts";
import type { AccountUser } from "./account-users.ts";
import { type NoticedEvent, SecurityNotice } from "./mails.ts";

/** Until the mail is made, the account may have another address or be gone. */
const toOldAddress: ReadonlySet<NoticedEvent> = new Set([
  "address change requested",
  "address changed",
  "account deleted",
]);

/** Notes a change in the audit log and tells the owner by mail, both in one transaction: that of the change where it has one. */
export class AccountChanges {
  readonly #events = inject(AccountEvents);
  readonly #mailer = inject(Mailer);
  readonly #clock = inject(Clock);

  /** `user` as before the change: an address that is not that of the account any more gets the mail, too. */
  async note(user: AccountUser, event: NoticedEvent, actor: Actor, transaction: AccountStore): Promise<void> {
    await this.#events.record(user.id, event, actor, transaction);
    const address = toOldAddress.has(event) ? { address: user.email } : {};
    const input = { user_id: user.id, event, at: this.#clock.timestamp(), ...address };
    await this.#mailer.send(SecurityNotice, input, { transaction });
  }
}
