import { Clock, inject, Log } from "@tenon/core";
import { digest, ExpiringRecords } from "@tenon/core/internal";
import { KeyValue } from "@tenon/data";
import { refreshTokenSeconds } from "./settings.ts";

/** Kept for the whole lifetime of a token, used or not. */
interface KnownToken {
  readonly user_id: string;
  /** Shared by all tokens that descend from one login. */
  readonly family: string;
}

export interface Refreshed {
  readonly userId: string;
  readonly refreshToken: string;
}

const ttl = refreshTokenSeconds;
const knownKind = "refresh-known";

/** Refresh tokens, valid for 7 days and one use. A second use revokes all that descend from the same login (RFC 9700, 4.14.2). */
export class RefreshTokens {
  readonly #store = inject(KeyValue);
  readonly #records = inject(ExpiringRecords);
  readonly #clock = inject(Clock);
  readonly #log = inject(Log);

  generate(userId: string): Promise<string> {
    return this.#issue(userId, this.#clock.uuid());
  }

  /** The user of a token, used or not, without consuming it; undefined when the token is unknown. */
  async ownerOf(token: string): Promise<string | undefined> {
    return (await this.#records.get<KnownToken>(knownKind, token))?.user_id;
  }

  /** Consumes the token and returns the next one; undefined when it is unknown, used, expired or revoked. */
  async refresh(token: string): Promise<Refreshed | undefined> {
    const known = await this.#records.get<KnownToken>(knownKind, token);
    if (known === undefined) return undefined;
    // checked before the token is consumed: the losers of a race revoke the family, which must not fail the winner too
    if (await this.#isRevoked(known.family)) return undefined;
    if ((await this.#store.take(unusedKey(token))) === undefined) {
      await this.#revokeFamily(known.family);
      const fields = { event: "refresh token reused", user_id: known.user_id, family: known.family };
      this.#log.warn(fields, "a used refresh token was presented again: its family is revoked");
      return undefined;
    }
    return { userId: known.user_id, refreshToken: await this.#issue(known.user_id, known.family) };
  }

  /** Revokes the token and all that descend from the same login. */
  async revoke(token: string): Promise<void> {
    const known = await this.#records.get<KnownToken>(knownKind, token);
    if (known !== undefined) await this.#revokeFamily(known.family);
  }

  /** The family is stored before the token can be used, so that a revocation finds it at any point of a concurrent refresh. */
  async #issue(userId: string, family: string): Promise<string> {
    const token = this.#clock.uuid();
    const known: KnownToken = { user_id: userId, family };
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
