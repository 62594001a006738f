import type { RecordFile } from "./record-file.ts";
import type { Recorded, RecordedError } from "./recorded.ts";

/** An error that was logged outside of a request and a job. */
export interface LooseError extends RecordedError {
  readonly at: string;
  /** The message of the log line. */
  readonly line: string;
}

const mostErrors = 100;
/** Characters of all records as JSON. Smaller than the limit of the file, so that not every record rewrites it. */
const defaultLength = 24 * 1024 * 1024;

/** The last requests and jobs. */
export class RecordBuffer {
  readonly #capacity: number;
  readonly #longest: number;
  readonly #file: RecordFile | undefined;
  /** By id, the oldest first. */
  readonly #records = new Map<string, Recorded>();
  /** By id: characters of JSON. */
  readonly #lengths = new Map<string, number>();
  #length = 0;
  readonly #errors: LooseError[] = [];
  readonly #watchers = new Set<() => void>();

  /** `longest`: characters of all records as JSON, after which the oldest are dropped. Defaults to 24 Mi. */
  constructor(capacity: number, file: RecordFile | undefined, longest: number = defaultLength) {
    this.#capacity = capacity;
    this.#longest = longest;
    this.#file = file;
    for (const record of file?.read() ?? []) this.#keep(record);
  }

  add(record: Recorded): void {
    this.#keep(record);
    this.#file?.append(record, () => [...this.#records.values()]);
    this.notify();
  }

  addError(error: LooseError): void {
    this.#errors.push(error);
    if (this.#errors.length > mostErrors) this.#errors.shift();
    this.notify();
  }

  /** The newest first. */
  list(): Recorded[] {
    return [...this.#records.values()].reverse();
  }

  /** The newest first. */
  get errors(): LooseError[] {
    return this.#errors.toReversed();
  }

  find(id: string): Recorded | undefined {
    return this.#records.get(id);
  }

  clear(): void {
    this.#records.clear();
    this.#lengths.clear();
    this.#length = 0;
    this.#errors.length = 0;
    this.#file?.replace([]);
    this.notify();
  }

  /** Calls the function after each change, until the returned one is called. */
  watch(onChange: () => void): () => void {
    this.#watchers.add(onChange);
    return () => this.#watchers.delete(onChange);
  }

  notify(): void {
    for (const onChange of this.#watchers) onChange();
  }

  flush(): void {
    this.#file?.flush();
  }

  #keep(record: Recorded): void {
    const { id } = record;
    this.#drop(id);
    const length = JSON.stringify(record).length;
    this.#records.set(id, record);
    this.#lengths.set(id, length);
    this.#length += length;
    for (const oldest of this.#records.keys()) {
      if (this.#records.size <= this.#capacity && (this.#length <= this.#longest || oldest === id)) return;
      this.#drop(oldest);
    }
  }

  #drop(id: string): void {
    this.#records.delete(id);
    this.#length -= this.#lengths.get(id) ?? 0;
    this.#lengths.delete(id);
  }
}
