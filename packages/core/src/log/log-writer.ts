import { constants, fstatSync, openSync, write, writeSync } from "node:fs";
import { isatty } from "node:tty";

export interface LogDestination {
  /** A line that it throws for, or rejects, is dropped and counted. */
  write(line: string): unknown;
  /** Whether people read it there. */
  readonly isTTY?: boolean;
}

/** Bytes of lines that wait to be written. Past it new lines are dropped. */
const capacity = 1024 * 1024;
/** Milliseconds between writes by the thread pool: one for each request would cost more than the request logs. */
const poolInterval = 10;
/** Milliseconds before a failed write is tried again; doubled with each failure. */
const firstWait = 10;
const longestWait = 1000;
/** Milliseconds that the end of the process waits for the lines that are left. */
const exitTimeout = 1000;

const noBytes = new Uint8Array(0);

export interface LogWriterOptions {
  /**
   * Writes each line before `write()` returns, so that it keeps its place among what a command prints.
   * Defaults to false: lines are collected for a turn of the event loop, or for 10 ms, and written together.
   */
  readonly sync?: boolean;
}

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
  /** What is being written, without what was. */
  #chunk: Uint8Array = noBytes;
  /** Of the text and the chunk. */
  #bytes = 0;
  #dropped = 0;
  /** A write is due, in the thread pool, or waits to be tried again. */
  #busy = false;
  #inThreadPool = false;
  #wait = firstWait;

  constructor(fd: number, options: LogWriterOptions = {}) {
    this.#fd = fd;
    this.#sync = options.sync ?? false;
  }

  get isTTY(): boolean {
    return (this.#fd === 1 ? process.stdout : process.stderr).isTTY === true;
  }

  write(line: string): void {
    const size = Buffer.byteLength(line);
    if (this.#bytes > 0 && this.#bytes + size > capacity) {
      this.#dropped++;
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
    if (this.#open().isNonBlocking) setImmediate(this.#next);
    else setTimeout(this.#next, poolInterval).unref();
  }

  readonly #next = (): void => {
    const { fd, isNonBlocking } = this.#open();
    const chunk = this.#fill();
    if (isNonBlocking || this.#sync) {
      this.#written(...tryWrite(fd, chunk));
      return;
    }
    this.#inThreadPool = true;
    write(fd, chunk, this.#written);
  };

  #open(): Output {
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

  /** At the exit of the process, where nothing asynchronous runs any more. */
  readonly #finish = (): void => {
    const { fd } = this.#open();
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
    // a line of a later listener of the event
    this.#sync = true;
    this.#busy = false;
  };
}

interface Output {
  readonly fd: number;
  /** Else a write can block, and the thread pool does it. */
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
