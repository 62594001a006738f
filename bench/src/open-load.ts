import { connect, type Socket } from "node:net";

export interface OpenLoadOptions {
  readonly port: number;
  readonly path: string;
  /** Requests a second, whether or not responses arrive. Without it 20 clients send one after the other. */
  readonly rate?: number;
  /** Opened before the load begins. A request that is due while all of them wait for a response has failed. */
  readonly connections: number;
  /** Seconds of load that are not measured, before those that are. */
  readonly settle: number;
  readonly seconds: number;
}

export interface OpenLoadResult {
  /** Requests a second, like the following in the seconds that are measured. */
  readonly offered: number;
  /** 2xx. */
  readonly good: number;
  /** 503 with `Retry-After`. */
  readonly refused: number;
  /** Everything else. */
  readonly failed: number;
  /** Milliseconds from the moment at which a request was due to the end of its 2xx; not a number without one. */
  readonly p50: number;
  readonly p99: number;
  /** All responses by status, and the faults, from the first request to the last response. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** The share of the time that the load itself was busy. Near 1 it was late. */
  readonly busy: number;
}

/** Two for each connection of the pool: all are in use, and no server has a reason to refuse. */
const clients = 20;
/** Connections that are opened at a time: Node accepts one in each turn of its event loop. */
const openedAtOnce = 50;
/** Milliseconds for which a client waits for a response. */
const patience = 5000;

export const refusedOutcome = "503 with Retry-After";
export const lateOutcome = "no response in 5 s";
export const unsentOutcome = "no free connection";

/** Sends requests at a fixed rate, so that a server that slows down does not slow down its clients. */
export function loadOpenly(options: OpenLoadOptions): Promise<OpenLoadResult> {
  return new OpenLoad(options).run();
}

class OpenLoad {
  readonly #options: OpenLoadOptions;
  readonly #request: string;
  /** The longest idle first. The last one is used next, so that few grow old. */
  readonly #idle: Connection[] = [];
  /** When their requests were due, in this order. */
  readonly #busy = new Map<Connection, number>();
  readonly #outcomes: Record<string, number> = {};
  readonly #counts = { offered: 0, good: 0, refused: 0, failed: 0 };
  readonly #times: number[] = [];
  #begin = 0;
  #sent = 0;

  constructor(options: OpenLoadOptions) {
    this.#options = options;
    this.#request = toRequest(options.path);
  }

  async run(): Promise<OpenLoadResult> {
    const { seconds, settle, rate, connections } = this.#options;
    while (this.#idle.length < (rate === undefined ? clients : connections)) {
      this.#idle.push(...(await Promise.all(Array.from({ length: openedAtOnce }, () => this.#open()))));
    }
    this.#begin = performance.now();
    const before = performance.eventLoopUtilization();
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        this.#giveUp();
        if (this.#elapsed < settle + seconds) return this.#send();
        if (this.#busy.size > 0) return;
        clearInterval(timer);
        resolve();
      }, 1);
    });
    for (const connection of this.#idle) connection.close();
    const { offered, good, refused, failed } = this.#counts;
    const times = this.#times.toSorted((a, b) => a - b);
    const at = (share: number) => times[Math.floor(share * (times.length - 1))] ?? Number.NaN;
    return {
      offered: offered / seconds,
      good: good / seconds,
      refused: refused / seconds,
      failed: failed / seconds,
      p50: at(0.5),
      p99: at(0.99),
      outcomes: this.#outcomes,
      busy: performance.eventLoopUtilization(before).utilization,
    };
  }

  get #elapsed(): number {
    return (performance.now() - this.#begin) / 1000;
  }

  get #isMeasured(): boolean {
    const { settle, seconds } = this.#options;
    return this.#elapsed >= settle && this.#elapsed < settle + seconds;
  }

  /** A connection that the server has accepted, which a response shows, whatever it is. */
  #open(): Promise<Connection> {
    const connection = new Connection(this.#options.port);
    return new Promise((resolve) => {
      connection.send(toRequest("/"), () => resolve(connection));
    });
  }

  /** Sends what is due. */
  #send(): void {
    const { rate } = this.#options;
    const due = rate === undefined ? this.#sent + clients - this.#busy.size : Math.floor(rate * this.#elapsed);
    for (; this.#sent < due; this.#sent++) {
      if (this.#isMeasured) this.#counts.offered++;
      this.#ask(rate === undefined ? performance.now() : this.#begin + (1000 * this.#sent) / rate);
    }
  }

  #ask(since: number): void {
    const idle = this.#idle.pop();
    if (idle === undefined) {
      this.#note(unsentOutcome, since);
      return;
    }
    if (!idle.isFresh) idle.close();
    const connection = idle.isFresh ? idle : new Connection(this.#options.port);
    this.#busy.set(connection, since);
    connection.send(this.#request, (outcome) => {
      this.#busy.delete(connection);
      this.#idle.push(connection);
      this.#note(outcome, since);
    });
  }

  #giveUp(): void {
    const latest = performance.now() - patience;
    for (const [connection, since] of this.#busy) {
      if (since > latest) return;
      connection.close(lateOutcome);
    }
  }

  #note(outcome: string, since: number): void {
    this.#outcomes[outcome] = (this.#outcomes[outcome] ?? 0) + 1;
    if (!this.#isMeasured) return;
    if (!outcome.startsWith("2")) this.#counts[outcome === refusedOutcome ? "refused" : "failed"]++;
    else {
      this.#counts.good++;
      this.#times.push(performance.now() - since);
    }
  }
}

/** A connection that is kept, with one request at a time. */
class Connection {
  readonly #socket: Socket;
  #usedAt = performance.now();
  /** Milliseconds without a request after which the server may close it, as it has announced. */
  #keptFor = Number.POSITIVE_INFINITY;
  #onEnd: ((outcome: string) => void) | undefined;
  #head = "";
  #received = 0;
  /** Bytes of the whole response; undefined until its head is received, infinite when it comes in chunks. */
  #length: number | undefined;
  /** The end of what was received: the last chunk is empty. */
  #tail = "";

  constructor(port: number) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.on("data", (chunk: Buffer) => this.#take(chunk));
    this.#socket.on("error", (error: NodeJS.ErrnoException) => this.#end(error.code ?? error.message));
    this.#socket.on("close", () => this.#end("connection closed"));
  }

  get isFresh(): boolean {
    return this.#socket.writable && performance.now() - this.#usedAt < this.#keptFor;
  }

  send(request: string, onEnd: (outcome: string) => void): void {
    this.#onEnd = onEnd;
    this.#head = "";
    this.#received = 0;
    this.#length = undefined;
    this.#tail = "";
    this.#socket.write(request);
  }

  close(reason = "closed"): void {
    this.#socket.destroy();
    this.#end(reason);
  }

  #take(chunk: Buffer): void {
    this.#received += chunk.length;
    if (this.#length === undefined) {
      this.#head += chunk.toString("latin1");
      const end = this.#head.indexOf("\r\n\r\n");
      if (end < 0) return;
      const [, length = "Infinity"] = /\r\ncontent-length: (\d+)/i.exec(this.#head) ?? [];
      this.#length = end + 4 + Number(length);
      const [, keptFor = "Infinity"] = /\r\nkeep-alive: timeout=(\d+)/i.exec(this.#head) ?? [];
      this.#keptFor = 1000 * Number(keptFor);
    }
    this.#tail = (this.#tail + chunk.toString("latin1", Math.max(0, chunk.length - 7))).slice(-7);
    if (this.#received >= this.#length || this.#tail === "\r\n0\r\n\r\n") this.#end(toOutcome(this.#head));
  }

  #end(outcome: string): void {
    const onEnd = this.#onEnd;
    this.#onEnd = undefined;
    this.#usedAt = performance.now();
    onEnd?.(outcome);
  }
}

function toRequest(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
}

function toOutcome(head: string): string {
  const status = head.slice(9, 12);
  return status === "503" && /\r\nretry-after: \d+\r\n/i.test(head) ? refusedOutcome : status;
}
