import { randomBytes } from "node:crypto";
import { Signature } from "./signature.ts";

export interface Identity {
  readonly id: string;
  /** Milliseconds since 1970: a cookie is good for `maxAge` from then on, whatever the browser thinks. */
  readonly issued: number;
  /** Whether the browser has it. */
  readonly known: boolean;
  /** Whether the store may have something under it. */
  readonly stored: boolean;
}

const form = /^([A-Za-z0-9_-]{43})\.([0-9a-z]{1,11})$/;

/** The session's cookie: an id of ours and when it was handed out, signed. */
export class SessionCookie {
  readonly name: string;
  /** Seconds. */
  readonly maxAge: number;
  readonly #signature: Signature;

  constructor(name: string, maxAge: number, secret: string) {
    this.name = name;
    this.maxAge = maxAge;
    this.#signature = new Signature(secret, `cookie ${name}`);
  }

  create(now: number): Identity {
    return { id: randomBytes(32).toString("base64url"), issued: now, known: false, stored: false };
  }

  /** Undefined for what this application has not signed, and for what is too old. */
  read(text: string, now: number): Identity | undefined {
    if (text === "") return undefined;
    const [, id, time] = form.exec(this.#signature.verify(text) ?? "") ?? [];
    if (id === undefined || time === undefined) return undefined;
    const issued = Number.parseInt(time, 36);
    if (issued + this.maxAge * 1000 <= now) return undefined;
    return { id, issued, known: true, stored: true };
  }

  write({ id, issued }: Identity): string {
    return this.#signature.sign(`${id}.${issued.toString(36)}`);
  }

  /** Past half of its time, so that whoever comes back every day keeps it. */
  isAgeing({ issued }: Identity, now: number): boolean {
    return issued + this.maxAge * 500 < now;
  }
}
