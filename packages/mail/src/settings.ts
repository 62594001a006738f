import { type Module, token } from "@tenon/core";
import { checkOptions, type Duration, type Injectable, parseDuration, takes } from "@tenon/core/internal";
import { type Address, checkAddress, parseAddress } from "./address.ts";
import { type MailUrl, parseMailUrl } from "./mail-url.ts";

export interface PlainMailOptions {
  /**
   * Where mails go: `smtp://user:password@host:587`, `smtps://user:password@host:465`, `file:folder`, or `memory:` in
   * tests. Defaults to `file:data/mail`.
   */
  readonly url?: string | undefined;
  /** The sender of every mail: `{ name: "Blog", address: "no-reply@example.com" }`, or a text `Blog <no-reply@example.com>`. */
  readonly from: Address | string;
  /** The folder that has the folder `mail` with the views. */
  readonly views: string | URL;
  /** `ca`: certificates, in PEM format, that are trusted instead of those of Node. */
  readonly tls?: { readonly ca?: string };
  /** How long an SMTP server may take to connect and to greet; for each later reply it has twice as long. Defaults to "30s". */
  readonly timeout?: Duration;
}

/** Each option but `imports` is a value, or a function that returns it and may `inject()` what `imports` export. */
export interface MailModuleOptions<Imports extends readonly Module[] = readonly Module[]>
  extends Injectable<PlainMailOptions> {
  /** What the options inject: `[ConfigModule]`. Defaults to none. */
  readonly imports?: Imports;
}

export interface MailSettings {
  readonly url: MailUrl;
  readonly from: Address;
  readonly views: string | URL;
  readonly ca: string | undefined;
  /** Milliseconds. */
  readonly timeout: number;
}

export const MailSettings = token<MailSettings>("mailModule()");

export function toMailSettings(options: PlainMailOptions): MailSettings {
  checkOptions("mailModule()", options, {
    url: true,
    from: checkFrom,
    views: true,
    tls: { ca: true },
    timeout: takes.duration(1),
  });
  return {
    url: parseMailUrl(options.url ?? "file:data/mail"),
    from: toAddress(options.from),
    views: options.views,
    ca: options.tls?.ca,
    timeout: parseDuration(options.timeout ?? "30s"),
  };
}

function toAddress(from: Address | string): Address {
  return typeof from === "string" ? parseAddress(from) : checkAddress(from);
}

function checkFrom(value: unknown): string | undefined {
  const isObject = typeof value === "object" && value !== null && "address" in value;
  if (typeof value !== "string" && !isObject)
    return 'is missing. It takes { name: "Blog", address: "no-reply@example.com" }.';
  try {
    toAddress(value as Address | string); // checked by its own function
    return undefined;
  } catch (error) {
    return `is ${JSON.stringify(value)}: ${(error as Error).message}.`; // a TypeError, see checkAddress()
  }
}
