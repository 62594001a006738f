import { inject } from "@tenon/core";
import { compactVerify, SignJWT } from "jose";
import { BoundedMap } from "./bounded-map.ts";
import { Clock } from "./clock.ts";
import { endHash } from "./end-hash.ts";
import { AuthSettings, accessTokenSeconds } from "./settings.ts";
import { decodeToken } from "./token-format.ts";

/** What a token says about its bearer. */
export interface TokenUser {
  readonly id: string;
  readonly email: string;
  readonly role: string;
}

export interface Claims {
  readonly user_id: string;
  readonly email: string;
  /** "" where the token has none. */
  readonly role: string;
  /** Seconds since 1970. */
  readonly exp: number;
}

interface Verified {
  readonly claims: Claims;
  readonly notBefore: number;
}

interface Remembered extends Verified {
  /** All of it. */
  readonly header: string;
}

/** How the Authorization header begins that carries a token. */
export const bearer = "Bearer ";

const longestKept = 2048; // ours have 300 characters; 10,000 of any length could fill the memory

/** Access tokens: JWT, HS256, 24 hours. */
export class Tokens {
  readonly #settings = inject(AuthSettings);
  readonly #clock = inject(Clock);
  readonly #key = new TextEncoder().encode(this.#settings.secret);
  /**
   * Headers with verified tokens: checking a signature, or a digest of them, costs more than all else on a guarded route.
   * By a number, because V8 looks for a text among all texts of the process before it looks into a Map.
   */
  readonly #remembered = new BoundedMap<number, Remembered>(10_000);

  issue(user: TokenUser): Promise<string> {
    const now = Math.floor(this.#clock.now() / 1000);
    const short = this.#settings.claims === "short";
    const token = new SignJWT({ user_id: user.id, email: user.email, ...(short ? {} : { role: user.role }) })
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setExpirationTime(now + accessTokenSeconds);
    return (short ? token : token.setIssuedAt(now).setIssuer(this.#settings.issuer)).sign(this.#key);
  }

  /** The claims of a token that is valid now; undefined for every other. */
  async verify(token: string): Promise<Claims | undefined> {
    const verified = await this.#check(token);
    return verified === undefined ? undefined : this.#claimsOf(verified);
  }

  /** The claims of the token in an Authorization header; undefined also without one. `recallHeader` knows it from now on. */
  async verifyHeader(header: string): Promise<Claims | undefined> {
    if (!header.startsWith(bearer)) return undefined;
    const verified = await this.#check(header.slice(bearer.length));
    if (verified === undefined) return undefined;
    if (header.length <= longestKept) this.#remembered.set(endHash(header), { header, ...verified });
    return this.#claimsOf(verified);
  }

  /** The claims behind a header that was verified before and is valid now, without a wait; undefined for every other. */
  recallHeader(header: string): Claims | undefined {
    const known = this.#remembered.get(endHash(header));
    return known?.header === header ? this.#claimsOf(known) : undefined;
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
    try {
      await compactVerify(token, this.#key, { algorithms: ["HS256"] });
    } catch {
      return undefined;
    }
    return { claims, notBefore: typeof decoded.payload.nbf === "number" ? decoded.payload.nbf : 0 };
  }
}

/** HS256, a known type, and none of the parameters that change what a token means. */
function isPlainHeader(header: Readonly<Record<string, unknown>>): boolean {
  if (header.alg !== "HS256" || "crit" in header || "b64" in header || "zip" in header) return false;
  const type = header.typ;
  return type === undefined || (typeof type === "string" && ["jwt", "at+jwt"].includes(type.toLowerCase()));
}

/** Nobody's id holds U+0000 or half a character, and PostgreSQL fails on the first instead of finding nobody. */
function isUserId(text: string): boolean {
  return text !== "" && !text.includes("\0") && text.isWellFormed();
}

function toClaims(payload: Readonly<Record<string, unknown>>): Claims | undefined {
  const { user_id, email, role, exp, iat, nbf, iss, sub } = payload;
  if (typeof user_id !== "string" || !isUserId(user_id)) return undefined;
  if (typeof exp !== "number" || !Number.isFinite(exp)) return undefined;
  for (const number of [iat, nbf]) {
    if (number !== undefined && (typeof number !== "number" || !Number.isFinite(number))) return undefined;
  }
  for (const text of [email, role, iss, sub]) if (text !== undefined && typeof text !== "string") return undefined;
  // shared by all requests that bring this token
  return Object.freeze({ user_id, email: String(email ?? ""), role: String(role ?? ""), exp });
}
