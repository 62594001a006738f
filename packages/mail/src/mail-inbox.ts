import { inject } from "@tenon/core";
import { MailDelivery, type MailPreview } from "./mail-delivery.ts";
import { type StoredMail, Transport } from "./message.ts";

/** What the developer tools show: the mails that were kept instead of sent, and a preview of each mail. */
export class MailInbox {
  readonly #transport = inject(Transport);
  readonly #delivery = inject(MailDelivery);

  /** The newest first. */
  list(): Promise<readonly StoredMail[]> {
    return this.#transport.list();
  }

  find(id: string): Promise<StoredMail | undefined> {
    return this.#transport.find(id);
  }

  previews(): Promise<MailPreview[]> {
    return this.#delivery.previews();
  }
}
