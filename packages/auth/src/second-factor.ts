import { randomBytes } from "node:crypto";
import { Clock, type Context, HttpError, inject, Log } from "@tenon/core";
import { createSecret, digest } from "@tenon/core/internal";
import type { AnyDatabase } from "@tenon/data";
import { CodeLimit } from "./code-limit.ts";
import { ExpiringRecords } from "./expiring-records.ts";
import { Logins } from "./logins.ts";
import { type Alongside, type FactorRow, SecondFactorRows } from "./second-factor-rows.ts";
import { SecretBox } from "./secret-box.ts";
import { AuthSettings } from "./settings.ts";
import { findStep, toBase32, toUri } from "./totp.ts";

/** What an authenticator application takes: typed, or as a QR code. */
export interface NewSecondFactor {
  readonly secret: string;
  readonly uri: string;
}

/** Called after a recovery code was used, and after the fifth wrong code in a row, each of which had the right password. */
export type SecondFactorListener = (
  userId: string,
  event: "recovery code used" | "wrong codes",
) => void | Promise<void>;

interface SuspendedLogin {
  readonly user_id: string;
  /** The stamp of the user before the password was checked: the end of all logins ends this one, too. */
  readonly stamp: string;
}

/** As RFC 4226 recommends. */
const secretBytes = 20;
const recoveryCodes = 10;
const recoveryCodeBytes = 10;
const stepKind = "second-factor-step";
const stepSeconds = 10 * 60;

/** Time-based codes of an authenticator application (RFC 6238), and recovery codes for a user who has lost it. */
export class SecondFactor {
  readonly #rows = inject(SecondFactorRows);
  readonly #limit = inject(CodeLimit);
  readonly #logins = inject(Logins);
  readonly #records = inject(ExpiringRecords);
  readonly #clock = inject(Clock);
  readonly #log = inject(Log);
  readonly #issuer = inject(AuthSettings).issuer;
  readonly #box = createBox(inject(AuthSettings));
  readonly #listeners: SecondFactorListener[] = [];
  #hasWarned = false;

  async isEnabled(userId: string): Promise<boolean> {
    return isConfirmed(await this.#rows.find(userId));
  }

  /**
   * A new secret, which counts once `confirm()` was called. `label` tells the user the account, such as an e-mail address;
   * the issuer defaults to that of the module. A user with a second factor gets a 409: disable it first.
   */
  async begin(userId: string, label: string, issuer = this.#issuer): Promise<NewSecondFactor> {
    if (this.#box === undefined) {
      throw new Error(
        "authModule() has no secret to encrypt second factors with. Give it the option secondFactorSecret: at least 32 random bytes.",
      );
    }
    const key = randomBytes(secretBytes);
    if (!(await this.#rows.begin(userId, this.#box.seal(key, userId)))) {
      throw new HttpError(409, "Second factor already enabled");
    }
    return describe(key, label, issuer);
  }

  /** What `begin()` has returned, while it waits for `confirm()`. */
  async pending(userId: string, label: string, issuer = this.#issuer): Promise<NewSecondFactor | undefined> {
    const row = await this.#rows.find(userId);
    const key = row === undefined || isConfirmed(row) ? undefined : this.#open(row);
    return key && describe(key, label, issuer);
  }

  /**
   * Enables what `begin()` has made, and returns ten recovery codes, to be shown once. Undefined when the code is wrong.
   * `alongside` is called in the transaction that enables it: for an audit log or a notice.
   */
  async confirm(userId: string, code: string, alongside?: Alongside): Promise<string[] | undefined> {
    const row = await this.#rows.find(userId);
    if (row === undefined || isConfirmed(row)) return undefined;
    await this.#limit.count(userId);
    const step = this.#findStep(row, normalize(code));
    if (step === undefined) return undefined;
    const codes = createRecoveryCodes();
    const hashes = codes.map((recovery) => toHash(userId, normalize(recovery)));
    if (!(await this.#rows.confirm(row, step, this.#clock.timestamp(), hashes, alongside))) return undefined;
    await this.#limit.clear(userId);
    this.#log.info({ event: "second factor enabled", user_id: userId });
    return codes;
  }

  /**
   * Whether a code of the application or a recovery code is right. Each is accepted once. After 5 wrong ones in 5 minutes,
   * a 429 and a call of the listeners. False for a user without a second factor.
   */
  async verify(userId: string, code: string): Promise<boolean> {
    const row = await this.#rows.find(userId);
    if (row === undefined || !isConfirmed(row)) return false;
    const isLast = await this.#limit.count(userId);
    if (await this.#use(row, normalize(code))) {
      await this.#limit.clear(userId);
      return true;
    }
    this.#log.warn({ event: "second factor failed", user_id: userId });
    if (isLast) {
      await this.#limit.noteUsedUp(userId);
      await this.#notify(userId, "wrong codes");
    }
    return false;
  }

  /** Forgets wrong codes, which must not keep the owner out after a reset of the password. */
  clearFailures(userId: string): Promise<void> {
    return this.#limit.clear(userId);
  }

  /** Removes the second factor and its recovery codes. Returns whether it was enabled. */
  async disable(userId: string, transaction?: AnyDatabase): Promise<boolean> {
    const wasEnabled = await this.#rows.remove(userId, transaction);
    if (wasEnabled) this.#log.info({ event: "second factor disabled", user_id: userId });
    return wasEnabled;
  }

  /** Forgets what `begin()` has made and `confirm()` has not seen: a stranger may have begun. */
  forgetPending(userId: string, transaction?: AnyDatabase): Promise<void> {
    return this.#rows.removePending(userId, transaction);
  }

  /** Ten new recovery codes instead of the old ones. Undefined for a user without a second factor. */
  async renewRecoveryCodes(userId: string, alongside?: Alongside): Promise<string[] | undefined> {
    const codes = createRecoveryCodes();
    const hashes = codes.map((code) => toHash(userId, normalize(code)));
    return (await this.#rows.replaceRecoveryCodes(userId, hashes, alongside)) ? codes : undefined;
  }

  recoveryCodesLeft(userId: string): Promise<number> {
    return this.#rows.countRecoveryCodes(userId);
  }

  /** Calls a function after what the user must know of, for a notice. Its errors are only logged. */
  onWarning(listener: SecondFactorListener): void {
    this.#listeners.push(listener);
  }

  /**
   * Keeps a login whose password was right for 10 minutes, until `resume()` is called with a code. Returns its secret id,
   * for the session of the browser. Call it after `SecondFactorRequired`, with the context of the same request.
   */
  async suspend(userId: string, ctx: Context): Promise<string> {
    const id = createSecret();
    const login: SuspendedLogin = { user_id: userId, stamp: await this.#logins.stampFor(ctx, userId) };
    await this.#records.set(stepKind, id, login, stepSeconds);
    return id;
  }

  /** Whether `resume()` may still succeed. */
  async isSuspended(id: string): Promise<boolean> {
    return (await this.#findSuspended(id)) !== undefined;
  }

  /**
   * The user of a suspended login, if the code is right, and a 429 after 5 wrong ones in 5 minutes. The login is finished
   * then. Undefined when the code is wrong, or the login has expired or was ended: see `isSuspended()`.
   */
  async resume(id: string, code: string, ctx: Context): Promise<string | undefined> {
    const login = await this.#findSuspended(id);
    if (login === undefined || !(await this.verify(login.user_id, code))) return undefined;
    // of two right codes sent concurrently, one finishes the login
    if (!(await this.#records.delete(stepKind, id))) return undefined;
    this.#logins.note(ctx, login.user_id, login.stamp);
    return login.user_id;
  }

  async #findSuspended(id: string): Promise<SuspendedLogin | undefined> {
    const login = await this.#records.get<SuspendedLogin>(stepKind, id);
    if (login === undefined) return undefined;
    return login.stamp === (await this.#logins.stampOf(login.user_id)) ? login : undefined;
  }

  async #use(row: FactorRow, code: string): Promise<boolean> {
    if (/^[A-Z2-7]{16}$/.test(code)) return this.#useRecoveryCode(row.user_id, code);
    const step = this.#findStep(row, code);
    return step !== undefined && this.#rows.useStep(row, step);
  }

  #findStep(row: FactorRow, code: string): number | undefined {
    if (!/^\d{6}$/.test(code)) return undefined;
    const key = this.#open(row);
    return key && findStep(key, code, this.#clock.now());
  }

  async #useRecoveryCode(userId: string, code: string): Promise<boolean> {
    if (!(await this.#rows.useRecoveryCode(userId, toHash(userId, code)))) return false;
    this.#log.warn({ event: "recovery code used", user_id: userId });
    await this.#notify(userId, "recovery code used");
    return true;
  }

  /** A recovery code is used up: an error of a listener must not lose the login that it has paid for. */
  async #notify(userId: string, event: Parameters<SecondFactorListener>[1]): Promise<void> {
    try {
      for (const listener of this.#listeners) await listener(userId, event);
    } catch (error) {
      this.#log.error({ err: error, user_id: userId }, `the user could not be told: ${event}`);
    }
  }

  /** Undefined after the secret of the module has changed: all codes of the application are wrong then. */
  #open({ secret, user_id }: FactorRow): Buffer | undefined {
    const key = this.#box?.open(secret, user_id);
    if (key === undefined && !this.#hasWarned) {
      this.#hasWarned = true; // one line, because every login of these users would add another
      this.#log.warn(
        { user_id },
        "a second factor was encrypted with another secret: its codes are refused, recovery codes still work",
      );
    }
    return key;
  }
}

function createBox({ secondFactorSecret, secret }: AuthSettings): SecretBox | undefined {
  const source = secondFactorSecret ?? secret;
  return source === false ? undefined : new SecretBox(source, "tenon second factor");
}

function isConfirmed(row: FactorRow | undefined): boolean {
  return row !== undefined && row.confirmed_at !== null;
}

function describe(key: Uint8Array, label: string, issuer: string): NewSecondFactor {
  const secret = toBase32(key);
  return { secret, uri: toUri(secret, label, issuer) };
}

/** 80 bits each, in groups of four letters. */
function createRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodes }, () =>
    toBase32(randomBytes(recoveryCodeBytes)).replaceAll(/.{4}(?=.)/g, "$&-"),
  );
}

/** Users type codes in groups and in any case. */
function normalize(code: string): string {
  return code.replaceAll(/[\s\p{Dash_Punctuation}]/gu, "").toUpperCase();
}

/** The user is part of it: the code of another user is worthless, even where a row was copied (CVE-2026-78619). */
function toHash(userId: string, code: string): string {
  return digest(`recovery-code:${userId}:${code}`);
}
