import { isIP } from "node:net";
import type { SmtpUrl } from "../mail-url.ts";
import type { Message, StoredMail, Transport } from "../message.ts";
import type { MailSettings } from "../settings.ts";
import { type SmtpLimits, toSendError } from "./send-error.ts";

/** Sends mails to an SMTP server, each through a connection of its own. */
export class SmtpTransport implements Transport {
  readonly delivers = true;
  readonly place: string;
  readonly guarantee = "given to the SMTP server at least once, with the same Message-ID";
  readonly #url: SmtpUrl;
  readonly #settings: Pick<MailSettings, "ca" | "timeout">;

  constructor(url: SmtpUrl, settings: Pick<MailSettings, "ca" | "timeout">) {
    this.#url = url;
    this.#settings = settings;
    this.place = `smtp ${this.#host}`;
  }

  get #host(): string {
    const { host, port } = this.#url;
    return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  }

  /** A socket is silent while the greeting is awaited: with the same limit for both, either could be reported. */
  get #limits(): SmtpLimits {
    const { timeout } = this.#settings;
    return { connect: timeout, reply: 2 * timeout };
  }

  async send(message: Message, signal: AbortSignal): Promise<void> {
    const connection = await this.#connect();
    const { from, to, subject, html, text } = message;
    const { "Message-ID": messageId = "", Date: date = "", ...headers } = message.headers;
    try {
      await connection.sendMail({
        // objects and an explicit envelope: nodemailer parses no address (CVE-2025-13033)
        from: { name: from.name ?? "", address: from.address },
        to: { name: to.name ?? "", address: to.address },
        envelope: { from: from.address, to: [to.address] },
        subject,
        html,
        text,
        messageId,
        date,
        headers,
        signal,
      });
    } catch (error) {
      throw toSendError(error, this.#host, this.#limits);
    } finally {
      connection.close();
    }
  }

  async list(): Promise<readonly StoredMail[]> {
    return [];
  }

  async find(): Promise<undefined> {}

  async #connect() {
    const { createTransport } = await import("nodemailer"); // an application that writes files does not load it
    const { host, port, tls, user, password } = this.#url;
    const { ca } = this.#settings;
    const { connect, reply } = this.#limits;
    return createTransport({
      host,
      port,
      secure: tls === "implicit",
      requireTLS: tls === "required",
      ignoreTLS: tls === "off",
      tls: { ...(ca === undefined ? {} : { ca }), ...(isIP(host) === 0 ? { servername: host } : {}) },
      ...(user === undefined || password === undefined ? {} : { auth: { user, pass: password } }),
      connectionTimeout: connect,
      greetingTimeout: connect,
      socketTimeout: reply,
      dnsTimeout: connect,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }
}
