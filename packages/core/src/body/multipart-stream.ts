import { tooLarge } from "./body-error.ts";
import { findPartStart, maxHeadBytes, type Part, readPart } from "./multipart.ts";
import { type PartHead, parsePartHead, refuseForm } from "./part-head.ts";

const blankLine = "\r\n\r\n";
/** Smaller chunks are joined before they are searched: a body in chunks of one byte would be copied a million times. */
const leastFill = 16 * 1024;

/** The parts of a multipart body while it arrives: fields with their bytes, files with their heads only. */
export class MultipartStream {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #delimiter: Buffer;
  /** Bytes that all but the files may still have. */
  #left: number;
  /** What has arrived: from the delimiter of the next part on, or from inside of the current file. */
  #bytes = Buffer.from("\r\n"); // at the very start there is no line before a delimiter
  #isOpen = false;

  constructor(chunks: AsyncIterable<Uint8Array>, boundary: string, limit: number) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
    this.#left = limit;
  }

  /** The next part, whose file has been read before; undefined after the last one. */
  async next(): Promise<Part | PartHead | undefined> {
    if (!this.#isOpen) this.#take(await this.#fillUntil(() => this.#bytes.indexOf(this.#delimiter), "has no part"));
    this.#isOpen = true;
    const start = await this.#findStart();
    if (start === undefined) return undefined;
    const end = await this.#findHeadEnd(start);
    const head = parsePartHead(this.#bytes.subarray(start, end));
    if (head.fileName !== undefined) {
      this.#take(await this.#findContent(end));
      return head;
    }
    const at = await this.#fillUntil(() => this.#bytes.indexOf(this.#delimiter, start), "has no end");
    const part = readPart(this.#bytes, start, at);
    this.#take(at);
    return part;
  }

  /** The bytes of the file whose head was returned last, chunk by chunk. */
  async *content(): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const at = this.#bytes.indexOf(this.#delimiter);
      const end = at < 0 ? this.#bytes.length - this.#delimiter.length + 1 : at; // the rest may begin a delimiter
      if (end > 0) {
        const { buffer, byteOffset } = this.#bytes;
        this.#bytes = this.#bytes.subarray(end);
        yield new Uint8Array(buffer, byteOffset, end);
      }
      if (at >= 0) return;
      if (!(await this.#fill())) refuseForm("has no end");
    }
  }

  /** Whether the current file has no bytes. */
  get isEmpty(): boolean {
    return this.#bytes.subarray(0, this.#delimiter.length).equals(this.#delimiter);
  }

  /** Reads what comes after the last part, so that the connection can carry another request. */
  async finish(): Promise<void> {
    while (await this.#fill()) this.#bytes = Buffer.alloc(0);
  }

  /** Drops bytes that are not those of a file. */
  #take(bytes: number): void {
    if (bytes > this.#left) throw tooLarge();
    this.#left -= bytes;
    this.#bytes = this.#bytes.subarray(bytes);
  }

  async #findStart(): Promise<number | undefined> {
    const end = this.#delimiter.length;
    while (this.#bytes.indexOf("\r\n", end) < 0 && (await this.#fillWithin()));
    return findPartStart(this.#bytes, end);
  }

  async #findHeadEnd(start: number): Promise<number> {
    const issue = "has a part without an end of its headers, or with too many of them";
    const end = await this.#fillUntil(() => {
      const blank = this.#bytes.indexOf(blankLine, start);
      if (blank < 0 && this.#bytes.length - start > maxHeadBytes + blankLine.length) refuseForm(issue);
      return blank;
    }, issue);
    const next = this.#bytes.indexOf(this.#delimiter, start);
    if (end - start > maxHeadBytes || (next >= 0 && next < end)) refuseForm(issue);
    return end;
  }

  /** A part without content may end with its headers: their last line end then begins the delimiter. */
  async #findContent(headEnd: number): Promise<number> {
    const most = headEnd + blankLine.length + this.#delimiter.length;
    while (this.#bytes.length < most && (await this.#fillWithin()));
    const line = headEnd + 2;
    const isDelimiter = this.#bytes.subarray(line, line + this.#delimiter.length).equals(this.#delimiter);
    return isDelimiter ? line : headEnd + blankLine.length;
  }

  async #fillUntil(find: () => number, issue: string): Promise<number> {
    for (;;) {
      const at = find();
      if (at >= 0) return at;
      if (!(await this.#fillWithin())) refuseForm(issue);
    }
  }

  async #fillWithin(): Promise<boolean> {
    if (this.#bytes.length > this.#left) throw tooLarge();
    return this.#fill();
  }

  /** False at the end of the body. */
  async #fill(): Promise<boolean> {
    const chunks: Uint8Array[] = [this.#bytes];
    const wanted = Math.max(leastFill, this.#bytes.length);
    let size = 0;
    while (size < wanted) {
      const step = await this.#chunks.next();
      if (step.done === true) break;
      chunks.push(step.value);
      size += step.value.byteLength;
    }
    this.#bytes = Buffer.concat(chunks);
    return chunks.length > 1;
  }
}
