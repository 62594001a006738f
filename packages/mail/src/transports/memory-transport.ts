import { findLinks, type Message, mostStored, type StoredMail, type Transport } from "../message.ts";

/** Keeps mails in the process, for tests. */
export class MemoryTransport implements Transport {
  readonly delivers = false;
  readonly place = "memory";
  readonly guarantee = "not sent: kept in the memory of one process";
  readonly #mails: StoredMail[] = [];
  #last = 0;

  async send(message: Message): Promise<void> {
    this.#last++;
    const id = String(this.#last).padStart(8, "0");
    this.#mails.unshift({ ...message, id, sentAt: new Date().toISOString(), links: findLinks(message) });
    if (this.#mails.length > mostStored) this.#mails.pop();
  }

  async list(): Promise<readonly StoredMail[]> {
    return [...this.#mails];
  }

  async find(id: string): Promise<StoredMail | undefined> {
    return this.#mails.find((mail) => mail.id === id);
  }
}
