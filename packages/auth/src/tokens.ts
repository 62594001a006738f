import { inject } from "@tenon/core";
import { compactVerify, SignJWT } from "jose";
import { BoundedMap } from "./bounded-map.ts";
import { Clock } from "./clock.ts";
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

const longestKept = 2048; // ours have 300 characters; 10,000 of any length could fill the memory

/** Access tokens: JWT, HS256, 24 hours. */
export class Tokens {
  readonly #settings = inject(AuthSettings);
  readonly #clock = inject(Clock);
  readonly #key = new TextEncoder().encode(this.#settings.secret);
  /** Verified tokens by their text: checking a signature, or a digest of them, costs more than all else on a guarded route. */
  readonly #verified = new BoundedMap<string, Verified>(10_000);

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
    return this.#claimsOf(this.#verified.get(token) ?? (await this.#check(token)));
  }

  /** The claims of a token that was verified before and is valid now, without a wait; undefined when it must be verified. */
  recall(token: string): Claims | undefined {
    return this.#claimsOf(this.#verified.get(token));
  }

  #claimsOf(known: Verified | undefined): Claims | undefined {
    if (known === undefined) return undefined;
    const now = this.#clock.now() / 1000;
    return known.claims.exp > now && known.notBefore <= now ? known.claims : undefined;
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
    const verified = { claims, notBefore: typeof decoded.payload.nbf === "number" ? decoded.payload.nbf : 0 };
    if (token.length <= longestKept) this.#verified.set(token, verified);
    return verified;
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
