import type { Clock, Context, Issue } from "@tenon/core";
import type { CsrfTokens } from "./csrf-tokens.ts";
import { addToPage, emptyPageState, type FormValues, type PageState, toOldForm } from "./page-state.ts";
import type { Identity, SessionCookie } from "./session-cookie.ts";
import { RetiredSession, type SessionEdit, type SessionRecords, withChanges } from "./session-records.ts";

/** What the sessions of an application share. */
export interface SessionParts {
  readonly cookie: SessionCookie;
  readonly records: SessionRecords;
  readonly tokens: CsrfTokens;
  readonly clock: Clock;
}

const noEdit: SessionEdit = { values: new Map(), page: emptyPageState };
const longestFlash = 4096;
const mostFormBytes = 64 * 1024;
/** Anybody can send forms that fail: they must not fill the store. */
const mostGuestFormBytes = 4 * 1024;
/** Milliseconds for which requests may arrive that a browser sent before it received its new id. */
const lateness = 60_000;

/**
 * What an application remembers about one browser from page to page. The store is read when a value is needed, and
 * written when the response is ready. Who is logged in is not kept here: see `Sessions` of @tenon/auth.
 */
export class Session {
  readonly #parts: SessionParts;
  readonly #ctx: Context;
  readonly #now: number;
  #isCookieRead = false;
  /** The id in the request's cookie. */
  #sent: Identity | undefined;
  /** The id that the browser has after the response. */
  #identity: Identity | undefined;
  /** Nothing of this request may reach the store or the browser. */
  #isMute = false;
  #values: Promise<ReadonlyMap<string, unknown> | undefined> | undefined;
  #changes = new Map<string, string | undefined>();
  /** For the next page, not saved yet. */
  #left = emptyPageState;
  /** For the page of this request. */
  #page: PageState | undefined;
  #isClosed = false;
  /** The id that a live connection has a lease on. */
  #leased: string | undefined;
  #storeError: { readonly error: unknown } | undefined;

  constructor(parts: SessionParts, ctx: Context) {
    this.#parts = parts;
    this.#ctx = ctx;
    this.#now = parts.clock.now();
  }

  get<T>(key: string): Promise<T | undefined> {
    return watched(this.#get(key) as Promise<T | undefined>); // what was set under this key
  }

  /** Takes any value that JSON can represent. All values together take at most 64 KiB. */
  set(key: string, value: unknown): Promise<void> {
    return this.#change(() => {
      const text: string | undefined = JSON.stringify(value);
      if (text === undefined) throw new TypeError(`session.set("${key}"): a ${typeof value} has no JSON form`);
      this.#changes.set(key, text);
    });
  }

  delete(key: string): Promise<void> {
    return this.#change(() => this.#changes.set(key, undefined));
  }

  /** Leaves a message for the next page that is rendered, in this request or a later one. It is shown once. */
  flash(kind: string, text: string): Promise<void> {
    return this.#change(() => {
      const message = { kind, text: text.slice(0, longestFlash).toWellFormed() };
      this.#left = addToPage(this.#left, { flash: [message] });
    });
  }

  /** Leaves a form that failed for the next page, without passwords and tokens: at most 64 KiB of it, of a guest 4 KiB. */
  keepForm(values: FormValues, issues: readonly Issue[]): Promise<void> {
    return this.#change(() => {
      const most = this.#current()?.hasUser === true ? mostFormBytes : mostGuestFormBytes;
      this.#left = addToPage(this.#left, { flash: [], form: toOldForm(values, issues, most) });
    });
  }

  /**
   * Keeps the session under a new id, as that of a user. Call it at every login: an id that was planted before is then
   * worthless, and the session is kept for `maxAge` instead of `guestMaxAge`.
   */
  regenerate(): Promise<void> {
    return this.#change(async () => {
      const next = this.#parts.cookie.create(this.#now, { hasUser: true });
      await this.#ask((records, id) => records.end(id, next.id));
      this.#replace(next);
    });
  }

  /** Ends the session and drops the changes of this request. Later changes start a new session. */
  destroy(): Promise<void> {
    return this.#change(async () => {
      await this.#ask((records, id) => records.end(id));
      this.#takeEdit();
      this.#page = undefined;
      this.#replace(undefined);
    });
  }

  /** Differs at every call. Gives the browser a cookie, and stores nothing. */
  csrfToken(): string {
    return this.#parts.tokens.create(this.#require().id);
  }

  // The rest is for the platform, static so that handlers do not see it.

  /** What the developer page shows: the stored values, with the changes of this request. */
  static async valuesOf(session: Session): Promise<Record<string, unknown>> {
    session.#values ??= session.#ask((records, id) => records.read(id));
    return Object.fromEntries(withChanges((await session.#values) ?? [], session.#changes));
  }

  /** Undefined without WebSessions, whatever else an application keeps under that name. */
  static of(ctx: Context): Session | undefined {
    const session: unknown = ctx.get("session");
    return session instanceof Session ? session : undefined;
  }

  /** Undefined when the request has no valid cookie. Asks no store. */
  static idOf(session: Session): string | undefined {
    return session.#current()?.id;
  }

  /** Keeps this request from changing the store and the browser's cookie. */
  static mute(session: Session): void {
    session.#isMute = true;
  }

  /** The state of the page that is being rendered. A second call, for an error page, gives the same. */
  static async takePage(session: Session): Promise<PageState> {
    const peek = session.#ctx.method === "HEAD"; // shows no page, so that the messages wait for the next one
    if (session.#page === undefined) {
      session.#page = emptyPageState; // stays when the store fails
      if (session.#storeError === undefined) {
        const stored = await session.#ask((records, id) => records.takePage(id, { peek }));
        session.#page = stored ?? emptyPageState;
      }
    }
    const page = addToPage(session.#page, session.#left);
    if (peek) return page;
    session.#page = page;
    session.#left = emptyPageState;
    return page;
  }

  /** Saves what changed, before a response is sent. */
  static async finish(session: Session): Promise<void> {
    const edit = session.#takeEdit();
    if (edit !== undefined) await session.#save(edit);
    if (session.#storeError !== undefined) return; // reported already: the page that reports it must not fail again
    await session.#renew().catch((error: unknown) => {
      session.#ctx.log.warn({ err: error }, "the session could not be renewed"); // the next request tries again
    });
  }

  /** The cookie to send, "" to expire it, undefined to leave it; and whether changes were not saved. */
  static close(session: Session): { readonly cookie: string | undefined; readonly isUnsaved: boolean } {
    session.#isClosed = true;
    const hasEdit = session.#takeEdit() !== undefined;
    if (session.#isMute) return { cookie: undefined, isUnsaved: false };
    const isUnsaved = hasEdit && session.#storeError === undefined;
    const identity = session.#identity;
    if (identity === session.#sent) return { cookie: undefined, isUnsaved };
    return { cookie: identity === undefined ? "" : session.#parts.cookie.write(identity), isUnsaved };
  }

  async #get(key: string): Promise<unknown> {
    const change = this.#changes.get(key);
    if (change !== undefined) return JSON.parse(change);
    if (this.#changes.has(key)) return undefined;
    this.#values ??= this.#read();
    return (await this.#values)?.get(key);
  }

  async #read(): Promise<ReadonlyMap<string, unknown> | undefined> {
    const values = await this.#ask((records, id) => records.read(id));
    if (this.#ctx.isLive && values !== undefined && values.size > 0) this.#addLease();
    return values;
  }

  /** A live connection is closed when the session ends that its guard or its handler has read. */
  #addLease(): void {
    const { id } = this.#require();
    if (this.#leased === id) return;
    this.#leased = id;
    const { records } = this.#parts;
    this.#ctx.addLease({ reason: "the session has ended", principal: id, isValid: () => records.isActive(id) });
  }

  #change(make: () => unknown): Promise<void> {
    const change = async (): Promise<void> => {
      if (this.#storeError !== undefined) throw this.#storeError.error;
      if (this.#isClosed) throw new Error("The session was changed after its response was sent, and cannot be saved");
      await make();
    };
    return watched(change());
  }

  #takeEdit(): SessionEdit | undefined {
    const edit = { values: this.#changes, page: this.#left };
    if (edit.values.size === 0 && edit.page === emptyPageState) return undefined;
    this.#changes = new Map();
    this.#left = emptyPageState;
    this.#values = undefined; // read again after the save
    return edit;
  }

  async #save(edit: SessionEdit): Promise<void> {
    const deletesOnly = edit.page === emptyPageState && edit.values.values().every((text) => text === undefined);
    if (deletesOnly && this.#current() === undefined) return;
    while (!this.#isMute) {
      const identity = this.#require();
      const ttl = this.#parts.cookie.lifetimeOf(identity);
      // an id that has ended is replaced by a new one, which cannot have ended
      if ((await this.#ask((records, id) => records.save(id, edit, ttl))) === true) return;
    }
    this.#ctx.log.info("the session had ended: the changes of this request were not kept");
  }

  /** Only of a session that this request has used. */
  async #renew(): Promise<void> {
    const identity = this.#identity;
    if (this.#isMute || identity === undefined || identity !== this.#sent) return;
    if (!this.#parts.cookie.isAgeing(identity, this.#now)) return;
    const ttl = this.#parts.cookie.lifetimeOf(identity);
    const isRenewed = await this.#ask((records, id) => records.save(id, noEdit, ttl));
    if (isRenewed === true) this.#identity = { ...identity, issued: this.#now };
  }

  #current(): Identity | undefined {
    if (!this.#isCookieRead) {
      this.#isCookieRead = true;
      const { cookie } = this.#parts;
      this.#sent = cookie.read(this.#ctx.cookie(cookie.nameFor(this.#ctx)), this.#now);
      this.#identity = this.#sent;
    }
    return this.#identity;
  }

  #require(): Identity {
    this.#identity = this.#current() ?? this.#parts.cookie.create(this.#now);
    return this.#identity;
  }

  #replace(next: Identity | undefined): void {
    this.#identity = next;
    this.#isMute = false;
    this.#values = undefined;
  }

  /** Undefined without an id, and for one that has ended. After an error the store is not asked again. */
  async #ask<T>(work: (records: SessionRecords, id: string) => Promise<T>): Promise<T | undefined> {
    if (this.#storeError !== undefined) throw this.#storeError.error;
    const identity = this.#current();
    if (identity === undefined) return undefined;
    try {
      return await work(this.#parts.records, identity.id);
    } catch (error) {
      if (error instanceof RetiredSession) return this.#onRetired(error.at);
      this.#storeError = { error };
      throw error;
    }
  }

  /**
   * The browser sent an id that has ended. Shortly after the end it may have received a new one meanwhile, which a
   * cookie in this response would overwrite. Later it gets another, even if a token was made from the old id: that form
   * is refused once, while with the old id nothing would be kept any more.
   */
  #onRetired(at: number): undefined {
    if (at + lateness > this.#now) this.#isMute = true;
    else this.#replace(undefined);
  }
}

/** A handler may forget to await it: while the store is down, the unhandled rejection would crash the process. */
function watched<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** The values of the session of a request; empty without one. */
export async function readSession(ctx: Context): Promise<object> {
  const session = Session.of(ctx);
  return session === undefined ? {} : Session.valuesOf(session);
}
