import { createHmac, timingSafeEqual } from "node:crypto";
import type { Context } from "@tenon/core";
import { createSecret, serializeCookie } from "@tenon/core/internal";

/** A text → 32 bytes that cannot be made without the secret. A signature for one purpose is not valid for another. */
export function createSigner(secret: string, purpose: string): (text: string) => Buffer {
  const key = createHmac("sha256", secret).update(purpose).digest();
  return (text) => createHmac("sha256", key).update(text).digest();
}

export interface Identity {
  readonly id: string;
  /** Milliseconds since 1970. A cookie is valid for `maxAge` from then on, whatever the browser does with it. */
  readonly issued: number;
  /** Whether the session belongs to a user, since a `regenerate()`. */
  readonly hasUser: boolean;
}

const cookieForm = /^([A-Za-z0-9_-]{43})\.([0-9a-z]{1,11})(\.user)?\.([A-Za-z0-9_-]{43})$/;

export interface SessionAges {
  /** Seconds that a cookie is valid, and that the store keeps the session of a user. */
  readonly maxAge: number;
  /** Seconds that the store keeps the session of a guest. */
  readonly guestMaxAge: number;
}

/** The session's cookie: `id.issued.signature`, or `id.issued.user.signature`. */
export class SessionCookie {
  readonly #name: string;
  readonly #ages: SessionAges;
  readonly #sign: (text: string) => Buffer;

  constructor(name: string, ages: SessionAges, secret: string) {
    this.#name = name;
    this.#ages = ages;
    this.#sign = createSigner(secret, `cookie ${name}`);
  }

  /** Over TLS browsers accept `__Host-` only from this host and only over TLS, so that no other site can plant an id. */
  nameFor(ctx: Context): string {
    return isSecure(ctx) ? `__Host-${this.#name}` : this.#name;
  }

  /** The line of `Set-Cookie`; "" as the text expires the cookie. */
  serialize(text: string, ctx: Context): string {
    const maxAge = text === "" ? 0 : this.#ages.maxAge;
    return serializeCookie(this.nameFor(ctx), text, { secure: isSecure(ctx), maxAge });
  }

  create(now: number, { hasUser = false } = {}): Identity {
    return { id: createSecret(), issued: now, hasUser };
  }

  /** Seconds that the store keeps what is written now. */
  lifetimeOf({ hasUser }: Identity): number {
    return hasUser ? this.#ages.maxAge : this.#ages.guestMaxAge;
  }

  /** Undefined for a cookie that this application has not signed, and for one that is too old. */
  read(text: string, now: number): Identity | undefined {
    const [, id, time, user = "", signature] = cookieForm.exec(text) ?? [];
    if (id === undefined || time === undefined || signature === undefined) return undefined;
    const expected = this.#sign(`${id}.${time}${user}`).toString("base64url");
    // compared as text: a decoder accepts several spellings of the last character
    if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return undefined;
    const issued = Number.parseInt(time, 36);
    return issued + this.#ages.maxAge * 1000 > now ? { id, issued, hasUser: user !== "" } : undefined;
  }

  write({ id, issued, hasUser }: Identity): string {
    const text = `${id}.${issued.toString(36)}${hasUser ? ".user" : ""}`;
    return `${text}.${this.#sign(text).toString("base64url")}`;
  }

  /** Past half of its lifetime: renewed then, a session in use never expires. */
  isAgeing(identity: Identity, now: number): boolean {
    return identity.issued + this.lifetimeOf(identity) * 500 < now;
  }
}

function isSecure(ctx: Context): boolean {
  return ctx.request().protocol() === "https";
}
