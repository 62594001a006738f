import type { RecordFile } from "./record-file.ts";
import type { Recorded, RecordedError } from "./recorded.ts";

/** An error that was logged outside of a request and a job. */
export interface LooseError extends RecordedError {
  readonly at: string;
  /** The message of the log line. */
  readonly line: string;
}

const mostErrors = 100;

/** The last requests and jobs. */
export class RecordBuffer {
  readonly #capacity: number;
  readonly #file: RecordFile | undefined;
  /** By id, the oldest first. */
  readonly #records = new Map<string, Recorded>();
  readonly #errors: LooseError[] = [];
  readonly #watchers = new Set<() => void>();

  constructor(capacity: number, file: RecordFile | undefined) {
    this.#capacity = capacity;
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
    this.#records.set(record.id, record);
    if (this.#records.size <= this.#capacity) return;
    const [oldest = ""] = this.#records.keys();
    this.#records.delete(oldest);
  }
}
