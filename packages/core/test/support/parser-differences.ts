import { bytesOf } from "./byte-fuzz.ts";
import { cut, type Reading, readByNode, readByWire } from "./parsers.ts";
import { Random } from "./random.ts";

/** What our parser refuses although llhttp reads it. docs/http-engines.md explains each. */
export const documentedReasons: readonly string[] = [
  ..."Content-Encoding, Content-Length, Content-Type, Expect, HTTP version, Host, OPTIONS *, TRACE".split(", "),
  ..."Transfer-Encoding, URI too long, body, duplicate authorization, duplicate content-length".split(", "),
  ..."duplicate content-type, duplicate host, duplicate transfer-encoding, duplicate x-api-key, head too large".split(
    ", ",
  ),
  ..."headers too large, malformed head, malformed header, method, request line, request target".split(", "),
  ..."too many headers".split(", "),
];

export interface Differences {
  readonly streams: number;
  /** Requests that both have read alike. */
  readonly accepted: number;
  /** By reason: streams of which llhttp has read more than we have. */
  readonly refused: Readonly<Record<string, number>>;
  /** What must not happen, in words. */
  readonly problems: readonly string[];
}

/** Reads mutated bytes with our parser, whole and cut at random offsets, and with llhttp. */
export async function findDifferences(options: {
  readonly corpus: readonly string[];
  readonly seed: number;
  readonly streams: number;
  readonly onProgress?: (done: number) => void;
}): Promise<Differences> {
  const problems: string[] = [];
  const refused: Record<string, number> = {};
  let accepted = 0;
  for (let index = 0; index < options.streams; index++) {
    const bytes = bytesOf(index, options);
    const random = new Random((options.seed ^ Math.imul(index + 1, 0x85ebca6b)) >>> 0);
    const offsets = Array.from({ length: 1 + random.below(8) }, () => random.below(bytes.length + 1));
    const whole = await readByWire([bytes]);
    const split = await readByWire(cut(bytes, offsets));
    const nodes = await readByNode([bytes]);
    const report = (what: string, detail: unknown) =>
      problems.push(
        `stream ${index}, ${what}: ${JSON.stringify(detail)} of ${JSON.stringify(bytes.toString("latin1"))}`,
      );
    if (whole.hung || split.hung) report("hung", offsets);
    // which of several faults is found first may depend on the split, not whether one is
    const toResult = ({ requests, reason }: Reading) => JSON.stringify([requests, reason !== ""]);
    if (toResult(split) !== toResult(whole)) report("a split reads it in another way", { offsets, split, whole });
    const other = whole.requests.findIndex((request, at) => request !== nodes.requests[at]);
    if (other >= 0) report("llhttp reads it in another way", [whole.requests[other], nodes.requests[other]]);
    accepted += whole.requests.length;
    if (nodes.requests.length > whole.requests.length) {
      refused[whole.reason] = (refused[whole.reason] ?? 0) + 1;
      if (!documentedReasons.includes(whole.reason)) report(`refused for ${whole.reason}`, nodes.requests);
    }
    if (problems.length >= 5) break;
    if ((index + 1) % 10_000 === 0) options.onProgress?.(index + 1);
  }
  return { streams: options.streams, accepted, refused, problems };
}
