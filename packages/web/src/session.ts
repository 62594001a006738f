import type { Context, Issue } from "@tenon/core";
import type { CsrfTokens } from "./csrf.ts";
import { type OldForm, toOldForm } from "./old-input.ts";
import { emptyPageState, type FlashMessage, type FormValues, type PageState } from "./page.ts";
import type { SessionIdentity } from "./session-identity.ts";
import type { Found, SessionEdit, SessionRecords, StoredPage } from "./session-records.ts";

export interface SessionParts {
  readonly identity: SessionIdentity;
  readonly records: SessionRecords;
  readonly tokens: CsrfTokens;
  /** Leaves what waits for the next page where it is: a HEAD request shows nobody anything. */
  readonly peek: boolean;
}

/** What goes to the browser with the reply, and whether something was changed that nobody has saved. */
export interface SessionClosing {
  readonly cookie: string | undefined;
  readonly isUnsaved: boolean;
}

const longestFlash = 4096;

/**
 * What an application remembers about one browser from page to page. Nothing is read before somebody asks, and what
 * changes is written when the reply is made. Who is logged in does not live here: that is `Sessions` of @tenon/auth.
 */
export class Session {
  readonly #identity: SessionIdentity;
  readonly #records: SessionRecords;
  readonly #tokens: CsrfTokens;
  readonly #peek: boolean;
  #values: Promise<ReadonlyMap<string, unknown>> | undefined;
  #changes = new Map<string, string | undefined>();
  #flash: FlashMessage[] = [];
  #form: OldForm | undefined;
  #page: PageState | undefined;
  #isClosed = false;
  #failure: { readonly error: unknown } | undefined;

  /** For the middleware: applications take theirs with `ctx.get("session")`. */
  constructor({ identity, records, tokens, peek }: SessionParts) {
    this.#identity = identity;
    this.#records = records;
    this.#tokens = tokens;
    this.#peek = peek;
  }

  get<T>(key: string): Promise<T | undefined> {
    return watched(this.#get(key) as Promise<T | undefined>); // what was set under this key
  }

  /** Anything that JSON can carry. All values together take at most 64 KiB. */
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
    return this.#change(() => this.#flash.push({ kind, text: text.slice(0, longestFlash).toWellFormed() }));
  }

  /** Leaves a form that failed for the next page, without passwords and tokens, and at most 64 KiB of it. */
  keepForm(values: FormValues, issues: readonly Issue[]): Promise<void> {
    return this.#change(() => {
      this.#form = toOldForm(values, issues);
    });
  }

  /** The same session under a new id: at every login, so that an id which somebody planted before is worth nothing. */
  regenerate(): Promise<void> {
    return this.#change(async () => {
      const old = this.#identity.current();
      const next = this.#identity.create();
      const stored = old?.stored === true;
      if (stored) await this.#ask(() => this.#records.move(old.id, next.id));
      this.#identity.replace({ ...next, stored });
      this.#values = undefined;
    });
  }

  /** Ends the session and forgets what this request had changed. What is set afterwards starts another one. */
  destroy(): Promise<void> {
    return this.#change(async () => {
      const old = this.#identity.current();
      if (old?.stored === true) await this.#ask(() => this.#records.retire(old.id));
      this.#identity.replace(undefined);
      this.#takeEdit();
      this.#values = undefined;
      this.#page = undefined;
    });
  }

  /** Looks different at every call. Makes the browser get a cookie, and the store nothing. */
  csrfToken(): string {
    return this.#tokens.create(this.#identity.require().id);
  }

  isCsrfToken(token: string): boolean {
    const identity = this.#identity.current();
    return identity !== undefined && this.#tokens.isFor(identity.id, token);
  }

  /** For the platform: what waits for the page that is being rendered. Asked again for an error page, it says the same. */
  async takePage(): Promise<PageState> {
    if (this.#page === undefined) {
      this.#page = emptyPageState;
      this.#page = addPage(emptyPageState, await this.#takeStored());
    }
    const page = addPage(this.#page, {
      flash: this.#flash,
      ...(this.#form === undefined ? {} : { form: this.#form }),
    });
    if (this.#peek) return page;
    this.#page = page;
    this.#flash = [];
    this.#form = undefined;
    return page;
  }

  /** For the platform, before a reply goes out: saves what changed. After a failure of the store it is not asked again. */
  async finish(ctx: Context): Promise<void> {
    const edit = this.#takeEdit();
    if (edit !== undefined) await this.#ask(() => this.#save(edit, ctx)); // fails when the store has failed before
    if (this.#failure !== undefined) return; // it was told, and the page that tells it must not fail over it again
    await this.#ask(() => this.#renew()).catch((error: unknown) => {
      ctx.log.warn({ err: error }, "the session could not be renewed"); // the next request tries again
    });
  }

  /** For the middleware, when a reply goes out. */
  close(): SessionClosing {
    this.#isClosed = true;
    const isUnsaved = this.#takeEdit() !== undefined && !this.#identity.isMute && this.#failure === undefined;
    return { cookie: this.#identity.toCookie(), isUnsaved };
  }

  async #get(key: string): Promise<unknown> {
    const change = this.#changes.get(key);
    if (change !== undefined) return JSON.parse(change);
    if (this.#changes.has(key)) return undefined;
    this.#values ??= this.#load();
    return (await this.#values).get(key);
  }

  async #load(): Promise<ReadonlyMap<string, unknown>> {
    const identity = this.#identity.current();
    if (identity?.stored !== true) return new Map();
    return this.#accept(await this.#ask(() => this.#records.read(identity.id))) ?? new Map();
  }

  async #takeStored(): Promise<StoredPage | undefined> {
    const identity = this.#identity.current();
    if (identity?.stored !== true || this.#failure !== undefined) return undefined;
    return this.#accept(await this.#ask(() => this.#records.takePage(identity.id, { peek: this.#peek })));
  }

  #accept<T>(found: Found<T>): T | undefined {
    if (found.retired === undefined) return found.content;
    this.#identity.onRetired(found.retired);
    return undefined;
  }

  #change(make: () => unknown): Promise<void> {
    const change = async (): Promise<void> => {
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.#isClosed) throw new Error("The session was changed after its reply had gone out, and cannot be saved");
      await make();
    };
    return watched(change());
  }

  #takeEdit(): SessionEdit | undefined {
    const edit = { values: this.#changes, flash: this.#flash, form: this.#form };
    if (edit.values.size === 0 && edit.flash.length === 0 && edit.form === undefined) return undefined;
    this.#changes = new Map();
    this.#flash = [];
    this.#form = undefined;
    this.#values = undefined; // read again when somebody asks after the save
    return edit;
  }

  async #save(edit: SessionEdit, ctx: Context): Promise<void> {
    if (this.#identity.current() === undefined && !addsSomething(edit)) return;
    while (!this.#identity.isMute) {
      const identity = this.#identity.require();
      const retired = await this.#records.save(identity.id, edit, { isNew: !identity.stored });
      if (retired === undefined) return this.#identity.markStored(identity);
      this.#identity.onRetired(retired); // then a new id is made, which nobody can have retired
    }
    ctx.log.info("the session had ended: what this request changed in it was not kept");
  }

  async #renew(): Promise<void> {
    const identity = this.#identity.ageing();
    if (identity === undefined) return;
    const retired = await this.#records.touch(identity.id);
    if (retired === undefined) this.#identity.renew(identity);
    else this.#identity.onRetired(retired);
  }

  async #ask<T>(work: () => Promise<T>): Promise<T> {
    if (this.#failure !== undefined) throw this.#failure.error;
    try {
      return await work();
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }
}

function addsSomething({ values, flash, form }: SessionEdit): boolean {
  return flash.length > 0 || form !== undefined || values.values().some((text) => text !== undefined);
}

function addPage(page: PageState, added: StoredPage | undefined): PageState {
  if (added === undefined) return page;
  const { old, issues } = added.form ?? page;
  return { flash: [...page.flash, ...added.flash], old, issues };
}

/** Whoever forgets to await it must not hand an outage of the store the end of the process. */
function watched<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
