import type { Identity, SessionCookie } from "./session-cookie.ts";

/** Milliseconds for which requests may still come that a browser sent before it heard that its id is dead. */
const lateness = 60_000;

/** Which id one request speaks for, and what its reply tells the browser about it. */
export class SessionIdentity {
  readonly #cookie: SessionCookie;
  readonly #sent: string;
  readonly #now: number;
  #current: Identity | undefined;
  #hasLooked = false;
  #isDropped = false;
  #isMute = false;

  /** `sent` is the cookie as it came, "" for none. */
  constructor(cookie: SessionCookie, sent: string, now: number) {
    this.#cookie = cookie;
    this.#sent = sent;
    this.#now = now;
  }

  /** Undefined when the browser has none and nobody needed one yet. */
  current(): Identity | undefined {
    if (!this.#hasLooked) {
      this.#hasLooked = true;
      this.#current = this.#cookie.read(this.#sent, this.#now);
    }
    return this.#current;
  }

  /** Makes one when there is none. */
  require(): Identity {
    this.#current = this.current() ?? this.#cookie.create(this.#now);
    return this.#current;
  }

  create(): Identity {
    return this.#cookie.create(this.#now);
  }

  replace(next: Identity | undefined): void {
    this.#isDropped ||= this.current()?.known === true;
    this.#current = next;
    this.#isMute = false;
  }

  /** Whether nothing of this request may reach the store or the browser. */
  get isMute(): boolean {
    return this.#isMute;
  }

  mute(): void {
    this.#isMute = true;
  }

  /**
   * The browser sent a dead id. Either it has heard of the new one meanwhile, which a cookie in this reply would
   * overwrite; or it never will, and then it gets another, even if a token was made from the dead one: that form is
   * refused once, where with the dead id nothing would ever be kept again.
   */
  onRetired(at: number): void {
    if (at + lateness > this.#now) this.mute();
    else this.replace(undefined);
  }

  /** The id whose cookie wants renewal; never of a request that had no use for its session. */
  ageing(): Identity | undefined {
    const current = this.#current;
    if (this.#isMute || current?.known !== true) return undefined;
    return this.#cookie.isAgeing(current, this.#now) ? current : undefined;
  }

  renew(identity: Identity): void {
    this.#current = { ...identity, issued: this.#now, known: false };
  }

  markStored(identity: Identity): void {
    this.#current = { ...identity, stored: true };
  }

  /** The cookie to send, "" to expire it, undefined to leave it as it is. */
  toCookie(): string | undefined {
    if (this.#isMute) return undefined;
    if (this.#current === undefined) return this.#isDropped ? "" : undefined;
    return this.#current.known ? undefined : this.#cookie.write(this.#current);
  }
}
