import { appendFileSync, chmodSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Recorded } from "./recorded.ts";

/** The version of the lines. Others are skipped. */
const version = 1;
/** Milliseconds between writes. */
const interval = 200;
const defaultLimit = 32 * 1024 * 1024;

/**
 * Records as lines of JSON, so that they outlast a restart and `tenon requests` can read them. A file that cannot be
 * written is given up: the records are then those of this process.
 */
export class RecordFile {
  readonly #path: string;
  readonly #limit: number;
  #waiting: string[] = [];
  #size = 0;
  /** Whether a process has ended in the middle of a line. */
  #isCut = false;
  #timer: NodeJS.Timeout | undefined;
  #isBroken = false;

  /** `limit`: bytes after which the file is rewritten with the contents of the buffer. Defaults to 32 MiB. */
  constructor(path: string, limit: number = defaultLimit) {
    this.#path = path;
    this.#limit = limit;
  }

  /** The oldest first. Skips what it cannot read. */
  read(): Recorded[] {
    let text: string;
    try {
      text = readFileSync(this.#path, "utf8");
    } catch {
      return [];
    }
    this.#size = Buffer.byteLength(text);
    this.#isCut = text !== "" && !text.endsWith("\n");
    return text.split("\n").flatMap((line) => parseLine(line) ?? []);
  }

  /** Written a little later, and at the latest when the process ends. */
  append(record: Recorded, all: () => readonly Recorded[]): void {
    if (this.#isBroken) return;
    this.#waiting.push(toLine(record));
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#write(all), interval).unref();
    process.once("exit", this.flush);
  }

  /** Replaces what is in the file. */
  replace(records: readonly Recorded[]): void {
    this.#waiting = [];
    this.#try(() => {
      const text = records.map(toLine).join("");
      mkdirSync(dirname(this.#path), { recursive: true });
      const draft = `${this.#path}.${process.pid}`;
      writeFileSync(draft, text, { mode: 0o600 });
      renameSync(draft, this.#path);
      this.#size = Buffer.byteLength(text);
      this.#isCut = false;
    });
  }

  readonly flush = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    process.off("exit", this.flush);
    const lines = this.#waiting.splice(0).join("");
    if (lines === "") return;
    const text = this.#isCut ? `\n${lines}` : lines; // else the first one would be lost with the cut one
    this.#isCut = false;
    this.#try(() => {
      mkdirSync(dirname(this.#path), { recursive: true });
      appendFileSync(this.#path, text, { mode: 0o600 });
      if (this.#size === 0) chmodSync(this.#path, 0o600); // an older file keeps its own mode
      this.#size += Buffer.byteLength(text);
    });
  };

  #write(all: () => readonly Recorded[]): void {
    this.flush();
    if (this.#size > this.#limit) this.replace(all());
  }

  #try(write: () => void): void {
    try {
      write();
    } catch {
      this.#isBroken = true;
    }
  }
}

/**
 * The file of this process, with the records of one of the same entry point that has ended: processes that run beside
 * each other would overwrite what the others have recorded.
 */
export function claimRecordFile(folder = "node_modules/.cache/tenon"): string {
  const entry = `requests.${basename(process.argv[1] ?? "")}`;
  const own = join(folder, `${entry}.${process.pid}.jsonl`);
  for (const name of globSync(`${entry}.*.jsonl`, { cwd: folder })) {
    if (isRunning(Number(name.split(".").at(-2)))) continue;
    try {
      renameSync(join(folder, name), own);
      break;
    } catch {} // another process has claimed it
  }
  return own;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function toLine(record: Recorded): string {
  return `${JSON.stringify({ tenon: version, ...record })}\n`;
}

/** Undefined for an empty or broken line, and for one of another version. */
function parseLine(line: string): Recorded | undefined {
  try {
    const { tenon, ...record } = JSON.parse(line) as Recorded & { readonly tenon: unknown }; // checked below
    return tenon === version && isRecorded(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** What the pages rely on: one line of another shape would fail the whole list. */
function isRecorded({ id, kind, at, ms, method, target, spans, logs }: Recorded): boolean {
  return (
    [id, kind, at, method, target].every((text) => typeof text === "string") &&
    typeof ms === "number" &&
    isListOf(
      spans,
      ({ name, start, ms: taken }) => [typeof name, typeof start, typeof taken],
      "string number number",
    ) &&
    isListOf(logs, ({ message, start, level }) => [typeof message, typeof start, typeof level], "string number string")
  );
}

function isListOf<T extends object>(list: readonly T[], typesOf: (item: T) => string[], types: string): boolean {
  return Array.isArray(list) && list.every((item) => typesOf(item).join(" ") === types);
}
