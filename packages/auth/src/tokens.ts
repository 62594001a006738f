import { Clock, type Context, inject } from "@tenon/core";
import { BoundedMap } from "@tenon/core/internal";
import { compactVerify, SignJWT } from "jose";
import { endHash } from "./end-hash.ts";
import { Logins } from "./logins.ts";
import { AuthSettings, accessTokenSeconds } from "./settings.ts";
import { decodeToken } from "./token-format.ts";

/** The user that a token identifies. */
export interface TokenUser {
  readonly id: string;
  readonly email: string;
  readonly role: string;
}

export interface Claims {
  readonly user_id: string;
  readonly email: string;
  /** "" when the token has none. */
  readonly role: string;
  /** Seconds since 1970. */
  readonly exp: number;
  /** The stamp of the login. None in a token that another service has issued: `endAll()` does not end it. */
  readonly stamp?: string;
  /** When the user logged in, in seconds since 1970 (OpenID Connect). None in a token that was refreshed. */
  readonly auth_time?: number;
}

interface Verified {
  readonly claims: Claims;
  readonly notBefore: number;
}

/** A verified token and the whole header that carried it. */
interface CachedHeader extends Verified {
  readonly header: string;
}

const maxCachedLength = 2048; // ours have 300 characters; 10,000 headers of any length could fill the memory

/** Access tokens: JWT, HS256, 24 hours. */
export class Tokens {
  readonly #settings = inject(AuthSettings);
  readonly #clock = inject(Clock);
  readonly #logins = inject(Logins);
  readonly #key = toKey(this.#settings.secret);
  /** How an Authorization header with a token begins. */
  readonly prefix = `${this.#settings.scheme} `;
  /**
   * Verified Authorization headers: checking a signature costs more than everything else on a guarded route. By their
   * hash, because a look-up by 300-character strings takes 0.1 to 0.3 µs longer, up to 2 % of a guarded request.
   */
  readonly #cached = new BoundedMap<number, CachedHeader>(10_000);

  /**
   * `login`: the request that has just checked the password or created the user: its token is recent for `RecentLogin`.
   * For a refreshed token, `stamp` of `RefreshTokens.refresh()`. Defaults to the current stamp of the user.
   */
  async issue(user: TokenUser, login?: Context | string): Promise<string> {
    const now = Math.floor(this.#clock.now() / 1000);
    const short = this.#settings.claims === "short";
    const { id, email, role } = user;
    const claims = short ? {} : { role, stamp: await this.#stampFor(id, login) };
    const time = short || typeof login !== "object" ? {} : { auth_time: now };
    const token = new SignJWT({ user_id: id, email, ...claims, ...time })
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setExpirationTime(now + accessTokenSeconds);
    return (short ? token : token.setIssuedAt(now).setIssuer(this.#settings.issuer)).sign(this.#key);
  }

  /** The claims of a valid token; undefined for any other. */
  async verify(token: string): Promise<Claims | undefined> {
    const verified = await this.#check(token);
    return verified === undefined ? undefined : this.#claimsOf(verified);
  }

  /** The claims of the token in an Authorization header of the module's `scheme`; undefined without one. `recallHeader` returns them from now on. */
  async verifyHeader(header: string): Promise<Claims | undefined> {
    if (!header.startsWith(this.prefix)) return undefined;
    const verified = await this.#check(header.slice(this.prefix.length));
    if (verified === undefined) return undefined;
    if (header.length <= maxCachedLength) this.#cached.set(endHash(header), { header, ...verified });
    return this.#claimsOf(verified);
  }

  /** The claims of an Authorization header that was verified before and has not expired, without a promise; undefined for any other. */
  recallHeader(header: string): Claims | undefined {
    const cached = this.#cached.get(endHash(header));
    return cached?.header === header ? this.#claimsOf(cached) : undefined;
  }

  /** Whether a valid token may be one that `isEnded()` refuses. */
  get mayEnd(): boolean {
    return this.#settings.endTokens || this.#settings.findUser !== undefined;
  }

  /** Whether the login of a token has ended, or its user is gone. A token without a stamp is not of a login. */
  async isEnded({ user_id, stamp }: Claims): Promise<boolean> {
    const { endTokens, findUser } = this.#settings;
    if (endTokens && stamp !== undefined && stamp !== (await this.#logins.stampOf(user_id))) return true;
    return findUser !== undefined && (await findUser(user_id)) === undefined;
  }

  #stampFor(userId: string, login: Context | string | undefined): string | Promise<string> {
    if (typeof login === "string") return login;
    return login === undefined ? this.#logins.stampOf(userId) : this.#logins.stampFor(login, userId);
  }

  #claimsOf({ claims, notBefore }: Verified): Claims | undefined {
    const now = this.#clock.now() / 1000;
    return claims.exp > now && notBefore <= now ? claims : undefined;
  }

  async #check(token: string): Promise<Verified | undefined> {
    const decoded = decodeToken(token);
    if (decoded === undefined || !isPlainHeader(decoded.header)) return undefined;
    const claims = toClaims(decoded.payload);
    if (claims === undefined) return undefined;
    if (this.#settings.checkIssuer && decoded.payload.iss !== this.#settings.issuer) return undefined;
    try {
      await compactVerify(token, this.#key, { algorithms: ["HS256"] });
    } catch {
      return undefined;
    }
    return { claims, notBefore: typeof decoded.payload.nbf === "number" ? decoded.payload.nbf : 0 };
  }
}

function toKey(secret: string | false): Uint8Array {
  if (secret === false) throw new TypeError("there are no tokens with secret: false of authModule()");
  return new TextEncoder().encode(secret);
}

/** HS256, a known type, and none of the parameters that change the meaning of a token. */
function isPlainHeader(header: Readonly<Record<string, unknown>>): boolean {
  if (header.alg !== "HS256" || "crit" in header || "b64" in header || "zip" in header) return false;
  const type = header.typ;
  return type === undefined || (typeof type === "string" && ["jwt", "at+jwt"].includes(type.toLowerCase()));
}

/** PostgreSQL throws on U+0000 instead of finding no row, and no id holds a lone surrogate. */
function isUserId(text: string): boolean {
  return text !== "" && !text.includes("\0") && text.isWellFormed();
}

function toClaims(payload: Readonly<Record<string, unknown>>): Claims | undefined {
  const { user_id, email, role, exp, iat, nbf, iss, sub, stamp, auth_time } = payload;
  if (typeof user_id !== "string" || !isUserId(user_id)) return undefined;
  if (typeof exp !== "number" || !Number.isFinite(exp)) return undefined;
  for (const number of [iat, nbf, auth_time]) {
    if (number !== undefined && (typeof number !== "number" || !Number.isFinite(number))) return undefined;
  }
  for (const text of [email, role, iss, sub, stamp])
    if (text !== undefined && typeof text !== "string") return undefined;
  // frozen, because all requests with this token share it
  return Object.freeze({
    user_id,
    email: String(email ?? ""),
    role: String(role ?? ""),
    exp,
    ...(stamp === undefined ? {} : { stamp: String(stamp) }),
    ...(auth_time === undefined ? {} : { auth_time: Number(auth_time) }),
  });
}
