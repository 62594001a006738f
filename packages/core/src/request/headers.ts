import type { HeaderValue } from "@tenon/server";
import { isToken } from "@tenon/server/internal";

const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The headers of a response, by lower-case name. Refuses at once what would break the head of a message. */
export class ResponseHeaders {
  readonly #values = new Map<string, HeaderValue>();

  setHeader(name: string, value: HeaderValue): this {
    this.#values.set(
      checkName(name),
      typeof value === "string" ? checkValue(name, value) : value.map((v) => checkValue(name, v)),
    );
    return this;
  }

  /** Keeps what is already there: for `Set-Cookie`, `Vary`, `Link`. */
  addHeader(name: string, value: string): this {
    const key = checkName(name);
    const present = this.#values.get(key);
    checkValue(name, value);
    if (present === undefined) this.#values.set(key, value);
    else this.#values.set(key, typeof present === "string" ? [present, value] : [...present, value]);
    return this;
  }

  removeHeader(name: string): this {
    this.#values.delete(name.toLowerCase());
    return this;
  }

  /** Empty when absent; several values are joined with a comma. */
  header(name: string): string {
    const value = this.#values.get(name.toLowerCase());
    if (value === undefined) return "";
    return typeof value === "string" ? value : value.join(", ");
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  entries(): IterableIterator<[string, HeaderValue]> {
    return this.#values.entries();
  }
}

function checkName(name: string): string {
  if (!isToken(name)) throw new TypeError(`${JSON.stringify(name)} is not a header name`);
  return name.toLowerCase();
}

function checkValue(name: string, value: string): string {
  if (!headerValue.test(value)) {
    throw new TypeError(`The value of header ${name} has a character that a header cannot carry`);
  }
  return value;
}

/** The `Location` header of a redirect. A target outside this site becomes "/", unless it is `external`. */
export function toLocation(to: string, external: boolean): string {
  const target = external || isOwnPath(to) ? to : "/";
  // encodes what a header cannot carry; leaves alone what is encoded already, and the brackets of IPv6 hosts
  return encodeURI(target).replaceAll(/%25|%5B|%5D/g, (code) => decodeURIComponent(code));
}

/** `//host`, `/\host` and any scheme lead to another site; browsers drop tabs and line breaks before they parse. */
function isOwnPath(to: string): boolean {
  return /^\/(?![/\\])[^\u0000-\u001f\u007f\\\u2028\u2029]*$/.test(to) && to.isWellFormed();
}
