import { createHash } from "node:crypto";
import type { OldForm } from "./old-input.ts";
import type { FlashMessage } from "./page.ts";

/** Where sessions are kept. The `KeyValue` of @tenon/data fits as it is. */
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
  readonly flash: readonly FlashMessage[];
  readonly form: OldForm | undefined;
}

export interface StoredPage {
  readonly flash: readonly FlashMessage[];
  readonly form?: OldForm;
}

/** `retired`: since when the id is dead, in milliseconds since 1970. */
export type Found<T> = { readonly retired: number } | { readonly retired: undefined; readonly content: T };

type Values = Readonly<Record<string, unknown>>;

const mostFlash = 20;
const mostBytes = 64 * 1024;

/**
 * The sessions in the store, under a digest of their ids. Three keys each: the values; what waits for the next page;
 * and, once the id is dead, a mark that says so. The mark has a key of its own, because a slower request may write
 * values at any time, and must not write it away.
 */
export class SessionRecords {
  readonly #store: SessionStore;
  /** Seconds. */
  readonly #maxAge: number;
  readonly #now: () => number;
  /** Requests of one browser that save at the same time would each write away what the other has written. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(store: SessionStore, maxAge: number, now: () => number) {
    this.#store = store;
    this.#maxAge = maxAge;
    this.#now = now;
  }

  /** How many sessions are being read or written at this moment. */
  get busy(): number {
    return this.#turns.size;
  }

  async read(id: string): Promise<Found<ReadonlyMap<string, unknown>>> {
    const keys = keysOf(id);
    const [retired, values] = await Promise.all([this.#retired(keys), this.#store.get<Values>(keys.values)]);
    if (retired !== undefined) return { retired };
    return { retired, content: toMap(values) };
  }

  /** Gives what waits for the next page, to one caller alone: `delete` tells who was first. */
  takePage(id: string, { peek }: { readonly peek: boolean }): Promise<Found<StoredPage | undefined>> {
    const keys = keysOf(id);
    return this.#inTurn(keys, async () => {
      const [retired, page] = await Promise.all([this.#retired(keys), this.#store.get<StoredPage>(keys.page)]);
      if (retired !== undefined) return { retired };
      const isOurs = page !== undefined && (peek || (await this.#store.delete(keys.page)));
      return { retired, content: isOurs ? page : undefined };
    });
  }

  /** Puts the changes of one request into what the store has now. Saves nothing, and says since when, if the id is dead. */
  save(id: string, edit: SessionEdit, { isNew }: { readonly isNew: boolean }): Promise<number | undefined> {
    const keys = keysOf(id);
    const editsPage = edit.flash.length > 0 || edit.form !== undefined;
    return this.#inTurn(keys, async () => {
      const [retired, values, page] = isNew
        ? []
        : await Promise.all([
            this.#retired(keys),
            edit.values.size > 0 ? this.#store.get<Values>(keys.values) : undefined,
            editsPage ? this.#store.get<StoredPage>(keys.page) : undefined,
          ]);
      if (retired !== undefined) return retired;
      if (edit.values.size > 0) await this.#writeValues(keys, toMap(values), edit.values);
      if (editsPage) await this.#write(keys.page, addToPage(page, edit));
      return undefined;
    });
  }

  /** Gives a session another id. What it holds is under the new one before the old one dies. */
  move(from: string, to: string): Promise<void> {
    const keys = keysOf(from);
    return this.#inTurn(keys, async () => {
      const [retired, values, page] = await Promise.all([
        this.#retired(keys),
        this.#store.get<Values>(keys.values),
        this.#store.get<StoredPage>(keys.page),
      ]);
      if (retired !== undefined) return;
      if (values !== undefined) await this.#write(keysOf(to).values, values);
      if (page !== undefined) await this.#write(keysOf(to).page, page);
      await this.#bury(keys);
    });
  }

  retire(id: string): Promise<void> {
    const keys = keysOf(id);
    return this.#inTurn(keys, () => this.#bury(keys));
  }

  /** Keeps the values for another `maxAge`. Says since when if the id is dead. */
  touch(id: string): Promise<number | undefined> {
    const keys = keysOf(id);
    return this.#inTurn(keys, async () => {
      const [retired, values] = await Promise.all([this.#retired(keys), this.#store.get<Values>(keys.values)]);
      if (retired === undefined && values !== undefined) await this.#write(keys.values, values);
      return retired;
    });
  }

  #retired(keys: Keys): Promise<number | undefined> {
    return this.#store.get<number>(keys.retired);
  }

  async #bury(keys: Keys): Promise<void> {
    // a minute more than any cookie with this id can last, for the clocks of several machines
    await this.#store.set(keys.retired, this.#now(), { ttl: this.#maxAge + 60 });
    await Promise.all([this.#store.delete(keys.values), this.#store.delete(keys.page)]);
  }

  async #writeValues(keys: Keys, values: Map<string, unknown>, changes: SessionEdit["values"]): Promise<void> {
    const before = values.size;
    for (const [name, text] of changes) {
      if (text === undefined) values.delete(name);
      else values.set(name, JSON.parse(text));
    }
    if (values.size > 0) await this.#write(keys.values, checkSize(Object.fromEntries(values)));
    else if (before > 0) await this.#store.delete(keys.values);
  }

  #write(key: string, value: unknown): Promise<void> {
    return this.#store.set(key, value, { ttl: this.#maxAge });
  }

  async #inTurn<T>(keys: Keys, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(keys.values) ?? Promise.resolve()).then(work);
    const settled = turn.catch(ignore);
    this.#turns.set(keys.values, settled);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(keys.values) === settled) this.#turns.delete(keys.values);
    }
  }
}

interface Keys {
  readonly values: string;
  readonly page: string;
  readonly retired: string;
}

function keysOf(id: string): Keys {
  const digest = createHash("sha256").update(id).digest("hex");
  return {
    values: `web-session:${digest}`,
    page: `web-session:${digest}:page`,
    retired: `web-session:${digest}:retired`,
  };
}

function toMap(values: Values | undefined): Map<string, unknown> {
  return new Map(Object.entries(values ?? {}));
}

/** The last ones only: a client that never looks at a page would gather them for ever. */
function addToPage(page: StoredPage | undefined, { flash, form }: SessionEdit): StoredPage {
  const all = [...(page?.flash ?? []), ...flash].slice(-mostFlash);
  const lastForm = form ?? page?.form;
  return { flash: all, ...(lastForm === undefined ? {} : { form: lastForm }) };
}

function checkSize(values: Values): Values {
  const bytes = Buffer.byteLength(JSON.stringify(values));
  if (bytes <= mostBytes) return values;
  throw new RangeError(
    `The values of a session take ${bytes} bytes, more than ${mostBytes}. Keep what is large in the database, and its id in the session.`,
  );
}

function ignore(): void {}
