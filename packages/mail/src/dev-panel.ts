import { inject } from "@tenon/core";
import type { DevPanel, DevPanelSource, DevSection } from "@tenon/core/platform";
import type { Address } from "./address.ts";
import { MailDelivery } from "./mail-delivery.ts";
import { mostStored, Transport } from "./message.ts";

/** What the developer tools show of mails. Their links contain live tokens, because a developer follows them. */
export class MailPanels implements DevPanelSource {
  readonly #delivery = inject(MailDelivery);
  readonly #transport = inject(Transport);

  devPanels(): readonly DevPanel[] {
    return [
      {
        id: "mail",
        title: "Mail",
        read: ({ id, preview }) => {
          if (preview !== undefined) return this.#readPreview(preview);
          return id === undefined ? this.#readAll() : this.#readOne(id);
        },
      },
    ];
  }

  async #readAll(): Promise<DevSection[]> {
    const previews: DevSection = {
      heading: "Previews",
      note: "Each mail of the application, with the data of its preview.",
      columns: ["Mail", "Purpose"],
      rows: this.#delivery.definitions.map(({ name, summary }) => [{ text: name, query: { preview: name } }, summary]),
    };
    return [await this.#readInbox(), previews];
  }

  async #readInbox(): Promise<DevSection> {
    const heading = "Inbox";
    const { delivers, place } = this.#transport;
    if (delivers) {
      const cure = "Without a url, mailModule() writes mails to files, which are shown here.";
      return { heading, note: `Mails are sent to ${place}, and no copy of them is kept. ${cure}` };
    }
    const mails = await this.#transport.list();
    const kept = `Mails are not sent: the newest ${mostStored} are kept (${place}).`;
    if (mails.length === 0) {
      const hint = "Each is sent by a job of the queue mail, whose errors are on the page Jobs.";
      return { heading, note: `No mails so far. ${kept} ${hint}` };
    }
    return {
      heading,
      note: `${kept} Their links work.`,
      columns: ["Subject", "To", "Time"],
      rows: mails.map(({ id, to, subject, sentAt }) => [
        { text: subject, query: { id } },
        toText(to),
        toLocalTime(sentAt),
      ]),
    };
  }

  async #readOne(id: string): Promise<DevSection[]> {
    const mail = await this.#transport.find(id);
    if (mail === undefined) {
      return [{ heading: "There is no such mail", note: `The newest ${mostStored} mails are kept.` }];
    }
    const { subject, from, to, sentAt, html, text, links, headers } = mail;
    const rows = Object.entries({ From: toText(from), To: toText(to), Time: toLocalTime(sentAt) });
    return [
      { heading: subject, columns: ["Field", "Value"], rows },
      { heading: "Links", columns: ["Link"], rows: links.map((href) => [{ text: href, href }]) },
      { heading: "HTML", html },
      { heading: "Text", text },
      { heading: "Headers", columns: ["Header", "Value"], rows: Object.entries(headers) },
    ];
  }

  async #readPreview(name: string): Promise<DevSection[]> {
    try {
      const { subject, html, text } = await this.#delivery.preview(name);
      return [
        { heading: subject, note: `A preview of ${name}.` },
        { heading: "HTML", html },
        { heading: "Text", text },
      ];
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return [{ heading: `The preview of ${name} failed`, text: message }];
    }
  }
}

function toText({ name, address }: Address): string {
  return name === undefined ? address : `${name} <${address}>`;
}

/** `2026-11-18 17:03:22`, in the time zone of the server. */
function toLocalTime(iso: string): string {
  return new Date(iso).toLocaleString("sv-SE");
}
