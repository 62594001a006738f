import type { Clock } from "@tenon/core";
import { addToPage, emptyPageState, type PageState } from "./page-state.ts";
import { type RecordStore, StoredRecords } from "./record-store.ts";

/** What one request changes. */
export interface SessionEdit {
  /** JSON text by name; undefined deletes. */
  readonly values: ReadonlyMap<string, string | undefined>;
  readonly page: PageState;
}

/** Thrown for an id that `destroy()` or `regenerate()` has ended. */
export class RetiredSession extends Error {
  override readonly name = "RetiredSession";
  /** Milliseconds since 1970. */
  readonly at: number;

  constructor(at: number) {
    super("This session has ended");
    this.at = at;
  }
}

type Values = Readonly<Record<string, unknown>>;

/**
 * A session has up to three records: its values, the state of the next page and, once the id has ended, a mark. The mark
 * is apart, because a slower request may still write the other two.
 */
const kinds = { values: "web-session", page: "web-session-page", retired: "web-session-retired" };
const mostFlash = 20;
const mostBytes = 64 * 1024;

/** The sessions in the store. */
export class SessionRecords {
  readonly #records: StoredRecords;
  /** Seconds. */
  readonly #maxAge: number;
  readonly #clock: Clock;
  /** By session: two requests that save at the same time would overwrite each other's changes. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(store: RecordStore, maxAge: number, clock: Clock) {
    this.#records = new StoredRecords(store, clock);
    this.#maxAge = maxAge;
    this.#clock = clock;
  }

  async read(id: string): Promise<ReadonlyMap<string, unknown>> {
    const { values = {} } = await this.#load(id, { values: true });
    return new Map(Object.entries(values)); // an object has names by itself, such as constructor
  }

  /** Whether it still has values: not after it was ended, nor after it has expired. */
  async isActive(id: string): Promise<boolean> {
    const [retired, values] = await Promise.all([
      this.#records.get(kinds.retired, id),
      this.#records.get(kinds.values, id),
    ]);
    return retired === undefined && values !== undefined;
  }

  /** The state of the next page, for one caller only: `delete` says who was first. */
  takePage(id: string, { peek }: { readonly peek: boolean }): Promise<PageState | undefined> {
    return this.#inTurn(id, async () => {
      const { page } = await this.#load(id, { page: true });
      return page !== undefined && (peek || (await this.#records.delete(kinds.page, id))) ? page : undefined;
    });
  }

  /** Applies the changes of one request to what the store holds now, for `ttl` seconds. Without any, the values last as long again. */
  save(id: string, { values, page }: SessionEdit, ttl: number): Promise<boolean> {
    const writes = { values: values.size > 0 || page === emptyPageState, page: page !== emptyPageState };
    return this.#inTurn(id, async () => {
      const found = await this.#load(id, writes);
      const next = Object.fromEntries(withChanges(Object.entries(found.values ?? {}), values));
      checkSize(next);
      if (Object.keys(next).length > 0) await this.#records.set(kinds.values, id, { values: next }, ttl);
      else if (found.values !== undefined) await this.#records.delete(kinds.values, id);
      if (writes.page) {
        const { flash, form } = addToPage(found.page ?? emptyPageState, page);
        await this.#records.set(kinds.page, id, { flash: flash.slice(-mostFlash), form }, ttl); // a client may never show a page
      }
      return true;
    });
  }

  /** Ends an id. Its content moves to the next one, if there is one, before the old id ends. */
  end(id: string, next?: string): Promise<void> {
    return this.#inTurn(id, async () => {
      if (next !== undefined) {
        const { values, page } = await this.#load(id, { values: true, page: true });
        const ttl = this.#maxAge; // the next id belongs to a user
        if (values !== undefined) await this.#records.set(kinds.values, next, { values }, ttl);
        if (page !== undefined) await this.#records.set(kinds.page, next, page, ttl);
      }
      // a minute longer than any cookie with this id, because the clocks of several machines differ
      await this.#records.set(kinds.retired, id, { at: this.#clock.now() }, this.#maxAge + 60);
      await Promise.all([this.#records.delete(kinds.values, id), this.#records.delete(kinds.page, id)]);
    });
  }

  async #load(id: string, parts: { readonly values?: boolean; readonly page?: boolean }) {
    const [retired, stored, page] = await Promise.all([
      this.#records.get<{ readonly at: number }>(kinds.retired, id),
      parts.values === true ? this.#records.get<{ readonly values: Values }>(kinds.values, id) : undefined,
      parts.page === true ? this.#records.get<PageState>(kinds.page, id) : undefined,
    ]);
    if (retired !== undefined) throw new RetiredSession(retired.at);
    return { values: stored?.values, page };
  }

  async #inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(id) ?? Promise.resolve()).then(work);
    const settled = turn.catch(() => {});
    this.#turns.set(id, settled);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(id) === settled) this.#turns.delete(id);
    }
  }
}

/** Values with the changes of one request. */
export function withChanges(values: Iterable<[string, unknown]>, changes: SessionEdit["values"]): Map<string, unknown> {
  const next = new Map(values);
  for (const [name, text] of changes) {
    if (text === undefined) next.delete(name);
    else next.set(name, JSON.parse(text));
  }
  return next;
}

function checkSize(values: Values): void {
  const bytes = Buffer.byteLength(JSON.stringify(values));
  if (bytes <= mostBytes) return;
  throw new RangeError(
    `The values of a session take ${bytes} bytes, more than ${mostBytes}. Keep what is large in the database, and its id in the session.`,
  );
}
