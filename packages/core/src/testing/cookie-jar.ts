interface StoredCookie {
  readonly value: string;
  /** In milliseconds since 1970; infinite for a cookie of the browser's session. */
  readonly expires: number;
}

/** The cookies of one client of one host: by name, until they expire. Unlike a browser, it sends each one to every path. */
export class CookieJar {
  readonly #cookies = new Map<string, StoredCookie>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The header `Cookie` of a request; "" for none. */
  header(): string {
    const now = this.#now();
    const sent = [...this.#cookies].filter(([, { expires }]) => expires > now);
    return sent.map(([name, { value }]) => `${name}=${value}`).join("; ");
  }

  /** Takes a header `Set-Cookie`. */
  take(line: string): void {
    const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
    const [name = "", ...value] = pair.split("=");
    const find = (start: RegExp) => attributes.find((text) => start.test(text))?.replace(start, "");
    const maxAge = find(/^max-age=/i); // wins over Expires
    const expires = maxAge === undefined ? Date.parse(find(/^expires=/i) ?? "") : this.#now() + Number(maxAge) * 1000;
    this.#cookies.set(name, {
      value: value.join("="),
      expires: Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires,
    });
  }
}
