import { createHash } from "node:crypto";
import { addToPage, emptyPageState, type PageState } from "./page-state.ts";

/** Where sessions are kept. `KeyValue` of @tenon/data is one. */
export interface SessionStore {
  get<T>(key: string): Promise<T | undefined>;
  /** `ttl` in seconds. */
  set(key: string, value: unknown, options?: { readonly ttl?: number }): Promise<void>;
  /** Whether there was something to delete. */
  delete(key: string): Promise<boolean>;
}

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
type Keys = Readonly<Record<"values" | "page" | "retired", string>>;

const mostFlash = 20;
const mostBytes = 64 * 1024;

/**
 * The sessions in the store, under a digest of their ids. Three keys each: the values, the state of the next page and,
 * once the id has ended, a mark. The mark has its own key, because a slower request may still write the other two.
 */
export class SessionRecords {
  readonly #store: SessionStore;
  /** Seconds. */
  readonly #maxAge: number;
  readonly #now: () => number;
  /** By session: two requests that save at the same time would overwrite each other's changes. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(store: SessionStore, maxAge: number, now: () => number) {
    this.#store = store;
    this.#maxAge = maxAge;
    this.#now = now;
  }

  async read(id: string): Promise<ReadonlyMap<string, unknown>> {
    const { values = {} } = await this.#load(keysOf(id), { values: true });
    return new Map(Object.entries(values)); // an object has names by itself, such as constructor
  }

  /** Whether it still has values: not after it was ended, nor after it has expired. */
  async isActive(id: string): Promise<boolean> {
    const keys = keysOf(id);
    const [retired, values] = await Promise.all([this.#store.get(keys.retired), this.#store.get(keys.values)]);
    return retired === undefined && values !== undefined;
  }

  /** The state of the next page, for one caller only: `delete` says who was first. */
  takePage(id: string, { peek }: { readonly peek: boolean }): Promise<PageState | undefined> {
    return this.#inTurn(id, async (keys) => {
      const { page } = await this.#load(keys, { page: true });
      return page !== undefined && (peek || (await this.#store.delete(keys.page))) ? page : undefined;
    });
  }

  /** Applies the changes of one request to what the store holds now. `renew` keeps the values for another `maxAge`. */
  save(id: string, { values, page }: SessionEdit, { renew = false } = {}): Promise<boolean> {
    const writes = { values: values.size > 0 || renew, page: page !== emptyPageState };
    return this.#inTurn(id, async (keys) => {
      const found = await this.#load(keys, writes);
      const next = applyChanges(found.values, values);
      if (next !== undefined) await this.#write(keys.values, next);
      else if (found.values !== undefined) await this.#store.delete(keys.values);
      if (writes.page) {
        const { flash, form } = addToPage(found.page ?? emptyPageState, page);
        await this.#write(keys.page, { flash: flash.slice(-mostFlash), form }); // a client may never show a page
      }
      return true;
    });
  }

  /** Ends an id. Its content moves to the next one, if there is one, before the old id ends. */
  end(id: string, next?: string): Promise<void> {
    return this.#inTurn(id, async (keys) => {
      if (next !== undefined) {
        const { values, page } = await this.#load(keys, { values: true, page: true });
        if (values !== undefined) await this.#write(keysOf(next).values, values);
        if (page !== undefined) await this.#write(keysOf(next).page, page);
      }
      // a minute longer than any cookie with this id, because the clocks of several machines differ
      await this.#store.set(keys.retired, this.#now(), { ttl: this.#maxAge + 60 });
      await Promise.all([this.#store.delete(keys.values), this.#store.delete(keys.page)]);
    });
  }

  async #load(keys: Keys, parts: { readonly values?: boolean; readonly page?: boolean }) {
    const [retired, values, page] = await Promise.all([
      this.#store.get<number>(keys.retired),
      parts.values === true ? this.#store.get<Values>(keys.values) : undefined,
      parts.page === true ? this.#store.get<PageState>(keys.page) : undefined,
    ]);
    if (retired !== undefined) throw new RetiredSession(retired);
    return { values, page };
  }

  #write(key: string, value: unknown): Promise<void> {
    return this.#store.set(key, value, { ttl: this.#maxAge });
  }

  async #inTurn<T>(id: string, work: (keys: Keys) => Promise<T>): Promise<T> {
    const keys = keysOf(id);
    const turn = (this.#turns.get(keys.values) ?? Promise.resolve()).then(() => work(keys));
    const settled = turn.catch(() => {});
    this.#turns.set(keys.values, settled);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(keys.values) === settled) this.#turns.delete(keys.values);
    }
  }
}

function keysOf(id: string): Keys {
  const values = `web-session:${createHash("sha256").update(id).digest("hex")}`;
  return { values, page: `${values}:page`, retired: `${values}:retired` };
}

/** Undefined when no value is left. */
function applyChanges(found: Values = {}, changes: SessionEdit["values"]): Values | undefined {
  const values = new Map(Object.entries(found));
  for (const [name, text] of changes) {
    if (text === undefined) values.delete(name);
    else values.set(name, JSON.parse(text));
  }
  const bytes = Buffer.byteLength(JSON.stringify(Object.fromEntries(values)));
  if (bytes <= mostBytes) return values.size === 0 ? undefined : Object.fromEntries(values);
  throw new RangeError(
    `The values of a session take ${bytes} bytes, more than ${mostBytes}. Keep what is large in the database, and its id in the session.`,
  );
}
