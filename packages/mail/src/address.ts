import { domainToASCII, domainToUnicode } from "node:url";

/** A sender or a recipient. */
export interface Address {
  /** Shown beside the address. Defaults to none. */
  readonly name?: string | undefined;
  /** `ada@example.com` */
  readonly address: string;
}

const longestLocalPart = 64;
const longestDomain = 253;
const longestName = 200;

/** RFC 5321 section 4.1.2, without quoted strings: parsers differ in where such an address ends (CVE-2025-13033). */
const localPart = /^(?!-)(?!.*=\?)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const domainLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Line breaks would begin another header or another SMTP command; U+2028 and U+2029 end a line for some readers. */
const control = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const named = /^([^<>"]*)<([^<>]+)>$/;

/** Whether a text is an e-mail address that mails are sent to: `ada@example.com`, without a name. */
export function isAddress(text: string): boolean {
  return toDeliverable(text) !== undefined;
}

/** `ada@example.com` or `Ada <ada@example.com>`. Throws a TypeError for any other text. */
export function parseAddress(text: string): Address {
  const [, name, address = text] = named.exec(text) ?? [];
  const parsed = name === undefined || name.trim() === "" ? { address } : { name: name.trim(), address };
  return checkAddress(parsed);
}

/** The same address with its domain in ASCII. Throws a TypeError, which does not quote it, when it is invalid. */
export function checkAddress({ name = "", address }: Address): Address {
  const deliverable = toDeliverable(address);
  if (deliverable === undefined) {
    throw new TypeError(
      "the address is invalid: use ada@example.com, in ASCII before the @, without quotes, comments and spaces",
    );
  }
  if (typeof name !== "string" || name.length > longestName || !isLine(name)) {
    throw new TypeError(`the name is invalid: use at most ${longestName} characters, without control characters`);
  }
  return name === "" ? { address: deliverable } : { name, address: deliverable };
}

/** Whether a text can be in a header: no line breaks, no other control characters, no half surrogate pairs. */
export function isLine(text: string): boolean {
  return !control.test(text) && text.isWellFormed();
}

function toDeliverable(text: unknown): string | undefined {
  if (typeof text !== "string" || text.length > longestLocalPart + 1 + longestDomain) return undefined;
  const [local = "", domain = "", ...others] = text.split("@");
  if (others.length > 0 || local.length > longestLocalPart || !localPart.test(local)) return undefined;
  const ascii = toAsciiDomain(domain);
  return ascii === undefined ? undefined : `${local}@${ascii}`;
}

function toAsciiDomain(domain: string): string | undefined {
  const ascii = /^[\w.-]*$/.test(domain) ? domain : toPunycode(domain);
  const labels = ascii.toLowerCase().split(".");
  const isDomain = ascii.length <= longestDomain && labels.every((label) => domainLabel.test(label));
  return isDomain && !/^[0-9]+$/.test(labels.at(-1) ?? "") ? ascii : undefined; // 127.0.0.1 is not a domain
}

/** "" for a domain that is written in another way than it is shown: full-width letters would reach the domain in ASCII. */
function toPunycode(domain: string): string {
  if (!/^[\p{L}\p{N}\p{M}.-]+$/u.test(domain)) return "";
  const ascii = domainToASCII(domain);
  return domainToUnicode(ascii) === domain.toLowerCase().normalize("NFC") ? ascii : "";
}
