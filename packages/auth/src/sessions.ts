import { randomUUID } from "node:crypto";
import { Clock, type Context, inject } from "@tenon/core";
import { digest } from "@tenon/core/internal";
import type { AnyDatabase } from "@tenon/data";
import { ExpiringRecords } from "./expiring-records.ts";
import { LoginLimit } from "./login-limit.ts";
import { Logins } from "./logins.ts";
import { type SessionEntry, SessionIndex } from "./session-index.ts";
import { sessionCookie, sessionSeconds } from "./settings.ts";

export interface SessionRecord {
  readonly user_id: string;
  readonly created_at: string;
}

/** What a session remembers of its login. */
export interface SessionLogin {
  /** The address of the client. Defaults to "". */
  readonly address?: string;
  /** The `User-Agent` of the client, of which 200 characters are kept. Defaults to "". */
  readonly client?: string;
  /** The stamp of the user when the password was checked. Defaults to the current one. */
  readonly stamp?: string;
}

interface OpenOptions {
  /**
   * The account as `LoginLimit` counts it, for pages: sets the cookie `known_client` too, so that failures of others do
   * not lock this browser out. Defaults to none.
   */
  readonly account?: string;
}

/** As stored. Those of earlier versions have only the fields of `SessionRecord`. */
interface StoredSession extends SessionRecord {
  readonly stamp?: string;
  readonly address?: string;
  readonly client?: string;
}

const kind = "session";
const maxClient = 200;

/** Login sessions of 24 hours. The store keeps only a digest of the session id. */
export class Sessions {
  readonly #records = inject(ExpiringRecords);
  readonly #index = inject(SessionIndex);
  readonly #logins = inject(Logins);
  readonly #limit = inject(LoginLimit);
  readonly #clock = inject(Clock);
  /** The id that a request has got instead of that of its cookie; "" after `close()`. */
  readonly #replaced = new WeakMap<Context, string>();

  /** Returns the new session id, a random UUID. An id sent by a client is never adopted (session fixation). */
  async create(userId: string, login: SessionLogin = {}): Promise<string> {
    const { address = "", client = "", stamp = await this.#logins.stampOf(userId) } = login;
    const details = { stamp, address, client: client.slice(0, maxClient).toWellFormed() };
    return this.#store({ user_id: userId, created_at: this.#clock.timestamp(), ...details });
  }

  /**
   * Logs the user in: a new session with the address and the client of the request, in the cookie. Ends the previous
   * session of the cookie, which could never be logged out afterwards. Returns the session id.
   */
  async open(ctx: Context, userId: string, { account }: OpenOptions = {}): Promise<string> {
    await this.#destroyOf(ctx);
    const stamp = await this.#logins.stampFor(ctx, userId);
    const login = { address: ctx.request().address(), client: ctx.header("user-agent"), stamp };
    const id = await this.create(userId, login);
    this.#setCookie(ctx, id);
    if (account !== undefined) await this.#limit.remember(account, ctx);
    return id;
  }

  /** Logs out: clears the cookie and ends its session. */
  async close(ctx: Context): Promise<void> {
    ctx.setCookie(sessionCookie, "", { maxAge: 0 }); // first, so that it is cleared although the store fails
    await this.#destroyOf(ctx);
    this.#replaced.set(ctx, "");
  }

  /**
   * The valid session of a request: that of its cookie, or the one that `open()` or `endOthers()` has made for it. So the
   * page that such a request renders shows who is logged in.
   */
  async current(ctx: Context): Promise<SessionRecord | undefined> {
    const id = this.#idIn(ctx);
    return id === "" ? undefined : this.find(id);
  }

  /** Undefined for an unknown, expired or ended session. */
  async find(id: string): Promise<SessionRecord | undefined> {
    const session = await this.#findValid(id);
    if (session === undefined) return undefined;
    await this.#index.noteUse(digest(id));
    return { user_id: session.user_id, created_at: session.created_at };
  }

  /** The valid sessions of a user, the newest first; at most 100. */
  async list(userId: string): Promise<SessionEntry[]> {
    const stamp = await this.#logins.stampOf(userId);
    const entries: SessionEntry[] = [];
    for (const { id, last_used_at } of await this.#index.list(userId)) {
      const session = await this.#index.read<StoredSession>(kind, id);
      if (session === undefined || (session.stamp ?? "") !== stamp) continue;
      const { created_at, address = "", client = "" } = session;
      entries.push({ id, created_at, last_used_at, address, client });
    }
    return entries;
  }

  /** The id of a session in `list()`, which is not secret. */
  idOf(sessionId: string): string {
    return digest(sessionId);
  }

  /** Ends a session of this user by its id in `list()`. Returns whether there was one. */
  end(userId: string, entryId: string): Promise<boolean> {
    return this.#index.end(kind, userId, entryId);
  }

  /**
   * Ends all logins of the user but the session of the cookie, which gets a new id. It keeps its creation time: this is
   * not a login, so it does not become a recent one.
   */
  async endOthers(ctx: Context, userId: string): Promise<void> {
    const id = this.#idIn(ctx);
    const session = id === "" ? undefined : await this.#findValid(id);
    const stamp = await this.#logins.endAll(userId);
    if (session?.user_id !== userId || !(await this.destroy(id))) return;
    // a reset of the password that ran since the session was read has ended this session, too
    if (Number(stamp) !== Number(session.stamp ?? "") + 1) return;
    this.#setCookie(ctx, await this.#store({ ...session, stamp }));
  }

  /**
   * Deletes the list of sessions of a user, in the transaction that deletes the user. It does not end them: call
   * `Logins.endAll()`, too.
   */
  forgetAll(userId: string, transaction: AnyDatabase): Promise<void> {
    return this.#index.removeAll(userId, transaction);
  }

  /** Returns whether there was a session. */
  async destroy(id: string): Promise<boolean> {
    const existed = await this.#records.delete(kind, id);
    await this.#index.remove(digest(id));
    return existed;
  }

  async #findValid(id: string): Promise<StoredSession | undefined> {
    const session = await this.#records.get<StoredSession>(kind, id);
    if (session === undefined) return undefined;
    return (session.stamp ?? "") === (await this.#logins.stampOf(session.user_id)) ? session : undefined;
  }

  /** The index first: a session that is not listed could not be ended by its user. */
  async #store(session: StoredSession): Promise<string> {
    const id = randomUUID();
    const expires = Date.parse(session.created_at) + sessionSeconds * 1000;
    await this.#index.add(digest(id), session.user_id, expires);
    await this.#records.set(kind, id, session, (expires - this.#clock.now()) / 1000);
    return id;
  }

  async #destroyOf(ctx: Context): Promise<void> {
    const id = this.#idIn(ctx);
    if (id !== "") await this.destroy(id);
  }

  #idIn(ctx: Context): string {
    return this.#replaced.get(ctx) ?? ctx.cookie(sessionCookie);
  }

  #setCookie(ctx: Context, id: string): void {
    ctx.setCookie(sessionCookie, id, { maxAge: sessionSeconds });
    this.#replaced.set(ctx, id);
  }
}
