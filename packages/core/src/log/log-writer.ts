import { constants, fstatSync, openSync, write, writeSync } from "node:fs";
import { isatty } from "node:tty";
import { logDroppedChannel } from "./log-channels.ts";

export interface LogDestination {
  /** Writes a line, which is dropped if it throws or rejects. */
  write(line: string): unknown;
  /** Whether it is a terminal: the default format is then text for people. */
  readonly isTTY?: boolean;
}

/** Bytes of lines that wait to be written. Beyond it, new lines are dropped. */
const capacity = 1024 * 1024;
/** Milliseconds between writes by the thread pool: one for each request would cost more than the request logs. */
const poolInterval = 10;
/** Milliseconds before a failed write is tried again; doubled with each failure. */
const firstWait = 10;
const longestWait = 1000;
/** Milliseconds that the end of the process waits for the lines that are left. */
const exitTimeout = 1000;

/**
 * Writes lines to a descriptor: a file, pipe, socket or terminal. `write()` neither throws nor waits for a reader.
 * A write that fails is tried again, and what does not fit in the buffer until then is dropped and counted.
 */
export class LogWriter implements LogDestination {
  /** The line that reports how many were dropped. */
  describeDropped: (count: number) => string = String;
  readonly #fd: number;
  #sync: boolean;
  #output: Output | undefined;
  /** Lines that are in no chunk yet. */
  #text = "";
  /** The rest of the chunk that is being written. */
  #chunk: Uint8Array = new Uint8Array(0);
  /** The bytes of the text and the chunk. */
  #bytes = 0;
  #dropped = 0;
  /** Whether a write is due, in the thread pool, or waits for a retry. */
  #busy = false;
  #inThreadPool = false;
  #wait = firstWait;

  /**
   * `sync` writes each line before `write()` returns, so that it keeps its place among what a command prints.
   * Defaults to false: lines are collected for a turn of the event loop, or for 10 ms, and written together.
   */
  constructor(fd: number, { sync = false }: { readonly sync?: boolean } = {}) {
    this.#fd = fd;
    this.#sync = sync;
  }

  get isTTY(): boolean {
    return (this.#fd === 1 ? process.stdout : process.stderr).isTTY === true;
  }

  write(line: string): void {
    const size = Buffer.byteLength(line);
    if (this.#bytes > 0 && this.#bytes + size > capacity) {
      this.#dropped++;
      logDroppedChannel.publish({ count: 1 });
      return;
    }
    this.#bytes += size;
    this.#text += line;
    if (this.#busy) return;
    this.#busy = true;
    process.once("exit", this.#finish);
    if (this.#sync) this.#next();
    else this.#schedule();
  }

  #schedule(): void {
    if (this.#findOutput().isNonBlocking) setImmediate(this.#next);
    else setTimeout(this.#next, poolInterval).unref();
  }

  readonly #next = (): void => {
    const { fd, isNonBlocking } = this.#findOutput();
    const chunk = this.#fill();
    if (isNonBlocking || this.#sync) {
      this.#written(...tryWrite(fd, chunk));
      return;
    }
    this.#inThreadPool = true;
    write(fd, chunk, this.#written);
  };

  #findOutput(): Output {
    this.#output ??= openOutput(this.#fd);
    return this.#output;
  }

  /** The next bytes to write. */
  #fill(): Uint8Array {
    if (this.#chunk.length > 0) return this.#chunk;
    if (this.#dropped > 0) {
      const line = this.describeDropped(this.#dropped);
      this.#dropped = 0;
      this.#bytes += Buffer.byteLength(line);
      this.#text += line;
    }
    this.#chunk = Buffer.from(this.#text);
    this.#text = "";
    return this.#chunk;
  }

  readonly #written = (error: Error | null, count: number): void => {
    this.#inThreadPool = false;
    this.#advance(count);
    if (error !== null) {
      setTimeout(this.#next, this.#wait).unref();
      this.#wait = Math.min(this.#wait * 2, longestWait);
      return;
    }
    this.#wait = firstWait;
    if (this.#bytes > 0 || this.#dropped > 0) {
      this.#schedule();
      return;
    }
    this.#busy = false;
    process.off("exit", this.#finish);
  };

  #advance(count: number): void {
    this.#chunk = this.#chunk.subarray(count);
    this.#bytes -= count;
  }

  /** Runs on the exit event, after which nothing asynchronous runs. */
  readonly #finish = (): void => {
    const { fd } = this.#findOutput();
    if (this.#inThreadPool) {
      pause(firstWait); // the thread pool writes these bytes, also after the exit; they come before the others
      this.#advance(this.#chunk.length);
    }
    const deadline = performance.now() + exitTimeout;
    while (this.#fill().length > 0) {
      const [error, count] = tryWrite(fd, this.#chunk);
      this.#advance(count);
      if (error === null) continue;
      if (error.code !== "EAGAIN" || performance.now() > deadline) break;
      pause(firstWait);
    }
    this.#sync = true; // a later listener of the event may log too
    this.#busy = false;
  };
}

/** Writes to a destination of the application. Its errors do not reach the code that logs. */
export class LogGuard implements LogDestination {
  readonly #destination: LogDestination;

  constructor(destination: LogDestination) {
    this.#destination = destination;
  }

  get isTTY(): boolean {
    return this.#destination.isTTY === true;
  }

  async write(line: string): Promise<void> {
    try {
      await this.#destination.write(line);
    } catch {
      logDroppedChannel.publish({ count: 1 });
    }
  }
}

interface Output {
  readonly fd: number;
  /** Whether a write never blocks. Else the thread pool writes. */
  readonly isNonBlocking: boolean;
}

/**
 * A pipe or terminal is opened again: O_NONBLOCK belongs to the open file, which other processes share and can reset.
 * Node itself sets it for an inherited pipe or socket, when `process.stdout` is first read.
 */
function openOutput(fd: number): Output {
  try {
    if (fstatSync(fd).isFIFO() || isatty(fd)) {
      const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
      return { fd: openSync(`/proc/self/fd/${fd}`, flags), isNonBlocking: true };
    }
  } catch {
    // no /proc, no permission, or no reader
  }
  return { fd, isNonBlocking: false };
}

function tryWrite(fd: number, bytes: Uint8Array): [error: NodeJS.ErrnoException | null, count: number] {
  try {
    return [null, writeSync(fd, bytes)];
  } catch (error) {
    return [error as NodeJS.ErrnoException, 0]; // of a system call
  }
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
