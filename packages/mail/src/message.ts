import { token } from "@tenon/core";
import type { Address } from "./address.ts";

/** A mail as it is sent. Its addresses are valid, and its headers contain no line breaks. */
export interface Message {
  readonly from: Address;
  readonly to: Address;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** `Message-ID`, `Date` and `Auto-Submitted`. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A mail that was kept instead of sent: by `file:` and `memory:`. */
export interface StoredMail extends Message {
  /** Later mails have larger ones. */
  readonly id: string;
  /** In ISO format. */
  readonly sentAt: string;
  /** The addresses in its text and in the links of its HTML, each once. */
  readonly links: readonly string[];
}

/** Sends or keeps mails. Selected by the URL of `mailModule()`. */
export interface Transport {
  /** Whether mails reach their recipients. */
  readonly delivers: boolean;
  /** For `tenon info`, without a password: `smtp smtp.example.com:587`. */
  readonly place: string;
  /** What happens to a mail, for `tenon info`. */
  readonly guarantee: string;
  /** Throws an UnrecoverableError when another attempt would fail too. The texts of its errors contain nothing of the mail. */
  send(message: Message, signal: AbortSignal): Promise<void>;
  /** The mails that were kept, the newest first. */
  list(): Promise<readonly StoredMail[]>;
  find(id: string): Promise<StoredMail | undefined>;
}

export const Transport = token<Transport>("Transport");

/** How many mails are kept. */
export const mostStored = 200;

export function findLinks({ text, html }: Pick<Message, "text" | "html">): string[] {
  const inText = [...text.matchAll(/https?:\/\/[^\s<>"]+/g)].map(([link]) => link.replace(/[.,;:!?)]+$/, ""));
  const inHtml = [...html.matchAll(/\bhref="(https?:\/\/[^"]+)"/g)].map(([, link = ""]) => decode(link));
  return [...new Set([...inText, ...inHtml])];
}

/** What Eta escapes, which is all that can be in the address of a link. */
function decode(html: string): string {
  return html
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}
