import { tokenText } from "../request/grammar.ts";
import type { RejectedRequest } from "../request/inspect.ts";
import type { ServerLimits } from "../request/limits.ts";
import { isHeaderLine } from "./request-head.ts";

export interface BodySink {
  takeBody(bytes: Uint8Array): void;
}

/** Finds the end of a body in the bytes of a connection. */
export interface BodyDecoder {
  readonly done: boolean;
  /** Why the body is malformed. */
  readonly rejected: RejectedRequest | undefined;
  /** Passes the bytes of the body on, from `start` up to its end. Returns where it stopped. */
  push(input: Buffer, start: number, sink: BodySink): number;
}

export class LengthDecoder implements BodyDecoder {
  readonly rejected = undefined;
  #remaining: number;

  constructor(length: number) {
    this.#remaining = length;
  }

  get done(): boolean {
    return this.#remaining === 0;
  }

  push(input: Buffer, start: number, sink: BodySink): number {
    const end = Math.min(input.length, start + this.#remaining);
    this.#remaining -= end - start;
    if (end > start) sink.takeBody(start === 0 && end === input.length ? input : input.subarray(start, end));
    return end;
  }
}

const maxExtension = 4096;
const sizeLine = new RegExp(
  `^([0-9A-Fa-f]{1,13})(?:;${tokenText}(?:=(?:${tokenText}|"(?:[\\t !#-\\[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*"))?)*$`,
);
const unfinishedSizeLine = /^[0-9A-Fa-f]{0,13}(?:;[\t -~\x80-\xff]*)?$/;
const unfinishedHeader = /^[\t -~\x80-\xff]*$/;
/** These would change, after the message, how it is delimited or what becomes of its connection. */
const forbiddenTrailer = /^(?:content-length|transfer-encoding|connection|keep-alive|upgrade|host|expect|te|trailer):/i;

/** A body in chunks. Trailers are checked and dropped. */
export class ChunkDecoder implements BodyDecoder {
  done = false;
  rejected: RejectedRequest | undefined;
  readonly #limits: ServerLimits;
  /** What the next line is: the size of a chunk, the line end after its data, or a trailer. */
  #next: "size" | "line end" | "trailer" = "size";
  #line = "";
  /** Bytes of the current chunk that have not arrived. */
  #remaining = 0;
  #trailers = 0;
  #trailerBytes = 0;

  constructor(limits: ServerLimits) {
    this.#limits = limits;
  }

  push(input: Buffer, start: number, sink: BodySink): number {
    let at = start;
    while (at < input.length && !this.done && this.rejected === undefined) {
      if (this.#remaining > 0) {
        const end = Math.min(input.length, at + this.#remaining);
        this.#remaining -= end - at;
        sink.takeBody(input.subarray(at, end));
        at = end;
      } else at = this.#readLine(input, at);
    }
    return at;
  }

  #readLine(input: Buffer, start: number): number {
    let end = start;
    while (end < input.length && input[end] !== 0x0a) end++;
    const isComplete = end < input.length;
    this.#line += input.toString("latin1", start, isComplete ? end + 1 : end);
    if (isComplete && this.#line.endsWith("\r\n")) this.#takeLine(this.#line.slice(0, -2));
    else if (isComplete) this.#refuse(400, "line feed");
    else this.#checkUnfinished(this.#line.endsWith("\r") ? this.#line.slice(0, -1) : this.#line);
    if (isComplete) this.#line = "";
    return isComplete ? end + 1 : end;
  }

  #takeLine(line: string): void {
    switch (this.#next) {
      case "size": {
        const size = line.length > maxExtension ? undefined : sizeLine.exec(line)?.[1];
        if (line.length > maxExtension) this.#refuse(413, "chunk extension");
        else if (size === undefined) this.#refuse(400, "chunk size");
        else {
          this.#remaining = Number.parseInt(size, 16);
          this.#next = this.#remaining === 0 ? "trailer" : "line end";
        }
        break;
      }
      case "line end":
        if (line === "") this.#next = "size";
        else this.#refuse(400, "chunk data");
        break;
      case "trailer":
        if (line === "") this.done = true;
        else if (!isHeaderLine(line) || forbiddenTrailer.test(line)) this.#refuse(400, "trailer");
        else {
          this.#trailers++;
          this.#trailerBytes += line.length + 2;
          this.#checkTrailers(0);
        }
    }
  }

  /** A line whose end has not arrived: refused now when its end cannot make it valid. */
  #checkUnfinished(line: string): void {
    if (this.#next === "line end" ? line !== "" : this.#next === "size" && !unfinishedSizeLine.test(line)) {
      this.#refuse(400, "chunk");
    } else if (this.#next === "size" && line.length > maxExtension) this.#refuse(413, "chunk extension");
    else if (!unfinishedHeader.test(line)) this.#refuse(400, "control character");
    else if (this.#next === "trailer" && line !== "") this.#checkTrailers(line.length + 2);
  }

  #checkTrailers(more: number): void {
    const { headerBytes, headerCount } = this.#limits;
    if (this.#trailers > headerCount) this.#refuse(431, "too many trailers");
    else if (this.#trailerBytes + more > headerBytes) this.#refuse(431, "trailers too large");
  }

  #refuse(status: number, reason: string): void {
    this.rejected ??= { status, reason };
  }
}
