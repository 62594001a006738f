interface StoredCookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  /** In milliseconds since 1970; infinite for a cookie of the browser's session. */
  readonly expires: number;
}

/** The cookies of one client of one host, as a browser keeps them: by name and path, until they expire (RFC 6265, 5). */
export class CookieJar {
  readonly #cookies = new Map<string, StoredCookie>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The header `Cookie` of a request; "" for none. Those of longer paths come first. */
  header(path: string): string {
    const now = this.#now();
    const sent = [...this.#cookies.values()].filter((cookie) => cookie.expires > now && isBelow(path, cookie.path));
    return sent
      .toSorted((one, other) => other.path.length - one.path.length)
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ");
  }

  /** Takes a header `Set-Cookie` of the response to a request for `path`. One without a name is ignored. */
  take(line: string, path: string): void {
    const [pair = "", ...attributes] = line.split(";");
    const equals = pair.indexOf("=");
    const name = pair.slice(0, Math.max(0, equals)).trim();
    if (name === "") return;
    const given = new Map(attributes.map(toAttribute));
    const declared = given.get("path") ?? "";
    const cookie: StoredCookie = {
      name,
      value: pair.slice(equals + 1).trim(),
      path: declared.startsWith("/") ? declared : folderOf(path),
      expires: this.#expiryOf(given),
    };
    const key = `${cookie.name}\n${cookie.path}`;
    if (cookie.expires > this.#now()) this.#cookies.set(key, cookie);
    else this.#cookies.delete(key);
  }

  /** `Max-Age` wins over `Expires`. A malformed one is ignored. */
  #expiryOf(given: ReadonlyMap<string, string>): number {
    const maxAge = given.get("max-age");
    if (maxAge !== undefined && /^-?\d+$/.test(maxAge)) return this.#now() + Number(maxAge) * 1000;
    const expires = Date.parse(given.get("expires") ?? "");
    return Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires;
  }
}

function toAttribute(text: string): [name: string, value: string] {
  const [name = "", ...value] = text.split("=");
  return [name.trim().toLowerCase(), value.join("=").trim()];
}

/** `/a` for `/a/b`, `/` for `/a`. */
function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
