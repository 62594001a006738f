import { connect } from "node:net";
import { Random } from "./random.ts";

export interface FuzzOptions {
  /** Each connection is sent to every one of these ports. */
  readonly ports: readonly number[];
  readonly corpus: readonly string[];
  readonly connections: number;
  readonly seed: number;
  readonly parallel?: number;
  /** The results of the same bytes on each port, in order. */
  readonly onResults: (results: readonly FuzzResult[]) => void;
  readonly onProgress?: (done: number) => void;
}

export interface FuzzResult {
  /** The number of the connection: the same seed sends the same bytes again. */
  readonly index: number;
  readonly sent: Buffer;
  readonly received: string;
  /** It neither got a response nor was closed. */
  readonly hung: boolean;
  /** The client's port, which identifies the connection to a server. */
  readonly port: number;
}

const patience = 60_000; // longer than any deadline of the server
const fragments = [
  ...["\r\n", "\n", "\r", "\0", ": ", " ", "\t", "%", "%00", "%2e%2e/", "chunked", "0\r\n\r\n"],
  ...["Content-Length: 5\r\n", "Content-Length: 99999999999999999999\r\n", "Transfer-Encoding: chunked\r\n"],
  ...["Host: other\r\n", "Expect: 100-continue\r\n", "HTTP/1.0", "\xff", "{".repeat(99), "x".repeat(9000)],
];

/** A mutated request: cut, doubled, swapped, or with a fragment inserted. */
export function mutate(text: string, random: Random): string {
  const at = () => random.below(text.length + 1);
  switch (random.below(7)) {
    case 0: {
      const index = at();
      return text.slice(0, index) + random.pick(fragments) + text.slice(index);
    }
    case 1: {
      const index = at();
      return text.slice(0, index) + text.slice(index + 1 + random.below(12));
    }
    case 2: {
      const index = at();
      return text.slice(0, index) + String.fromCharCode(random.below(256)) + text.slice(index + 1);
    }
    case 3: {
      const [start, end] = [at(), at()].toSorted((a, b) => a - b) as [number, number]; // two of them
      return text.slice(0, end) + text.slice(start, start + 200) + text.slice(end);
    }
    case 4:
      return text.slice(0, at()); // cut off
    case 5: {
      const lines = text.split("\r\n");
      const [from, to] = [random.below(lines.length), random.below(lines.length)];
      lines.splice(to, 0, lines[from] ?? "");
      return lines.join("\r\n");
    }
    default: {
      const index = at();
      const code = text.charCodeAt(index) || 0;
      return text.slice(0, index) + String.fromCharCode(code ^ (1 << random.below(8))) + text.slice(index + 1);
    }
  }
}

/** Sends mutated requests, each on a connection of its own. The first ones are the corpus as it is. */
export async function fuzzBytes(options: FuzzOptions): Promise<void> {
  let next = 0;
  let done = 0;
  const work = async () => {
    while (next < options.connections) {
      const index = next++;
      const sent = bytesOf(index, options);
      options.onResults(await Promise.all(options.ports.map((port) => exchange(port, index, sent))));
      if (++done % 500 === 0) options.onProgress?.(done);
    }
  };
  await Promise.all(Array.from({ length: options.parallel ?? 32 }, work));
}

/** The bytes of one connection. */
export function bytesOf(index: number, { corpus, seed }: Pick<FuzzOptions, "corpus" | "seed">): Buffer {
  const unchanged = corpus[index];
  if (unchanged !== undefined) return Buffer.from(unchanged, "latin1");
  const random = new Random((seed + Math.imul(index, 0x9e3779b1)) >>> 0);
  let text = Array.from({ length: 1 + random.below(3) }, () => random.pick(corpus)).join("");
  for (let mutations = random.below(6); mutations >= 0; mutations--) text = mutate(text, random);
  return Buffer.from(text.slice(0, 100_000), "latin1");
}

/** Sends the bytes in one or two pieces, closes the sending side, and reads until the server closes. */
function exchange(port: number, index: number, sent: Buffer): Promise<FuzzResult> {
  return new Promise((resolve) => {
    let received = "";
    let own = 0;
    const socket = connect({ port, host: "127.0.0.1" }, () => {
      own = socket.localPort ?? 0;
    });
    const finish = (hung: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ index, sent, received, hung, port: own });
    };
    const timer = setTimeout(() => finish(true), patience);
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString("latin1");
    });
    socket.on("error", () => {}); // a server that refuses the rest may reset
    socket.on("close", () => finish(false));
    const cut = index % 4 === 0 ? Math.floor(sent.length / 2) : 0;
    if (cut > 0) socket.write(sent.subarray(0, cut), () => setImmediate(() => socket.end(sent.subarray(cut))));
    else socket.end(sent);
  });
}

/** The statuses of the responses, in order. */
export function statusesOf({ received }: FuzzResult): number[] {
  return [...received.matchAll(/HTTP\/1\.1 ([0-9]{3}) /g)].map((match) => Number(match[1]));
}

/** Whether a status is an unexpected 5xx: the server sends 501 for TRACE and 505 for other versions. */
export function isFault(status: number): boolean {
  return status >= 500 && status !== 501 && status !== 505;
}
