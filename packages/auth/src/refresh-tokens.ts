import { randomUUID } from "node:crypto";
import { inject, Log } from "@tenon/core";
import { digest } from "@tenon/core/internal";
import { KeyValue } from "@tenon/data";
import { ExpiringRecords } from "./expiring-records.ts";
import { Logins } from "./logins.ts";
import { refreshTokenSeconds } from "./settings.ts";

/** Kept for the whole lifetime of a token, used or not. */
interface KnownToken {
  readonly user_id: string;
  /** Shared by all tokens that descend from one login. */
  readonly family: string;
  /** The stamp of the user at the login. Tokens of earlier versions have none. */
  readonly stamp?: string;
}

export interface Refreshed {
  readonly userId: string;
  readonly refreshToken: string;
  /** The stamp of the login, for `issue()` of `Tokens`: a token issued later must not outlive the login. */
  readonly stamp: string;
}

const ttl = refreshTokenSeconds;
const knownKind = "refresh-known";

/** Refresh tokens, valid for 7 days and one use. A second use revokes all that descend from the same login (RFC 9700, 4.14.2). */
export class RefreshTokens {
  readonly #store = inject(KeyValue);
  readonly #records = inject(ExpiringRecords);
  readonly #logins = inject(Logins);
  readonly #log = inject(Log);

  /** `stamp`: that of the user when the password was checked. Defaults to the current one. */
  async generate(userId: string, stamp?: string): Promise<string> {
    return this.#issue(userId, randomUUID(), stamp ?? (await this.#logins.stampOf(userId)));
  }

  /** The user of a token, used or not, without consuming it; undefined when the token is unknown. */
  async ownerOf(token: string): Promise<string | undefined> {
    return (await this.#records.get<KnownToken>(knownKind, token))?.user_id;
  }

  /** Consumes the token and returns the next one; undefined when it is unknown, used, expired, revoked or ended. */
  async refresh(token: string): Promise<Refreshed | undefined> {
    const known = await this.#records.get<KnownToken>(knownKind, token);
    if (known === undefined) return undefined;
    // checked before the token is consumed: the losers of a race revoke the family, which must not fail the winner too
    if (await this.#isRevoked(known.family)) return undefined;
    const { user_id: userId, family, stamp = "" } = known;
    if (stamp !== (await this.#logins.stampOf(userId))) return undefined;
    if ((await this.#store.take(unusedKey(token))) === undefined) {
      await this.#revokeFamily(family);
      const fields = { event: "refresh token reused", user_id: userId, family };
      this.#log.warn(fields, "a used refresh token was presented again: its family is revoked");
      return undefined;
    }
    // the stamp of the login, not the current one: endAll() may run between the check and this write
    return { userId, stamp, refreshToken: await this.#issue(userId, family, stamp) };
  }

  /** Revokes the token and all that descend from the same login. */
  async revoke(token: string): Promise<void> {
    const known = await this.#records.get<KnownToken>(knownKind, token);
    if (known !== undefined) await this.#revokeFamily(known.family);
  }

  /** The family is stored before the token can be used, so that a revocation finds it at any point of a concurrent refresh. */
  async #issue(userId: string, family: string, stamp: string): Promise<string> {
    const token = randomUUID();
    const known: KnownToken = { user_id: userId, family, stamp };
    await this.#records.set(knownKind, token, known, ttl);
    await this.#store.set(unusedKey(token), true, { ttl });
    return token;
  }

  async #isRevoked(family: string): Promise<boolean> {
    return (await this.#store.get(revokedKey(family))) !== undefined;
  }

  /** Kept for longer than any token that a concurrent refresh may still issue. */
  async #revokeFamily(family: string): Promise<void> {
    await this.#store.set(revokedKey(family), true, { ttl: 2 * ttl });
  }
}

function unusedKey(token: string): string {
  return `refresh-unused:${digest(token)}`;
}

function revokedKey(family: string): string {
  return `refresh-revoked:${family}`;
}
