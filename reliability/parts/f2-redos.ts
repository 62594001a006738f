import { array, boolean, dto, integer, nested, string } from "@tenon/core";
import { foldEmail } from "../../apps/reference/src/users/users.service.ts";
import { decodeToken } from "../../packages/auth/src/token-format.ts";
import { parseCookies } from "../../packages/core/src/body/cookies.ts";
import { parseJson } from "../../packages/core/src/body/input.ts";
import { defaultRequestLimits } from "../../packages/core/src/body/limits.ts";
import { parseQuery } from "../../packages/core/src/body/query.ts";
import { parseArgv } from "../../packages/core/src/cli/argv.ts";
import { Redactor } from "../../packages/core/src/log/log-redact.ts";
import { parseRange } from "../../packages/core/src/middleware/file-chunks.ts";
import { chooseEncoding } from "../../packages/core/src/middleware/negotiation.ts";
import { networkOf } from "../../packages/core/src/middleware/rate-limit.ts";
import { splitPath } from "../../packages/core/src/route/router.ts";
import { cleanse } from "../../packages/core/src/schema/foreign-schema.ts";
import { parsePattern } from "../../packages/core/src/support/pattern.ts";
import { isMediaType } from "../../packages/server/src/request/grammar.ts";
import { isPlainHost } from "../../packages/server/src/request/inspect.ts";
import { toCanonicalAddress } from "../../packages/server/src/request/ip-range.ts";
import { ProxyTrust } from "../../packages/server/src/request/proxy.ts";
import { Figures, type Part } from "../part.ts";

const size = 64 * 1024;
const limit = 5;
const patterns = [
  " ",
  "a",
  "-",
  ",",
  "@",
  "%",
  "\t",
  ";",
  "=",
  "/",
  ".",
  "&",
  "a@",
  "a.",
  "a,",
  "a=b;",
  "a=b&",
  "[",
  '"',
  "::",
  "1",
];

const Everything = dto({
  email: string("email"),
  url: string("url"),
  uuid: string("uuid"),
  decimal: string("decimal"),
  one: string("oneof=a b"),
  length: string("min=1", "max=5"),
  count: integer("min=1"),
  flag: boolean(),
  list: array(string("email")),
  inner: nested(dto({ email: string("email", "required") })),
});
const trust = new ProxyTrust(["127.0.0.1"]);
const peer = { address: "127.0.0.1", protocol: "http", host: "localhost" };
const redactor = new Redactor();
const encoder = new TextEncoder();

/** Everything that parses text of clients. Results and errors do not matter here, only the time. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  ...Object.fromEntries(
    ["email", "url", "uuid", "decimal", "one", "length"].map((field) => [
      `the rules of ${field}`,
      (text: string) => Everything.parse({ [field]: text }, [], { fromText: false }),
    ]),
  ),
  "fields of a DTO, as text": (text) => Everything.parse({ count: text, flag: text }, [], { fromText: true }),
  "a list of a DTO": (text) => Everything.parse({ list: [text, text] }, [], { fromText: false }),
  "text of any schema": (text) => cleanse({ [text]: text }, []),
  JSON: (text) => parseJson(encoder.encode(text), defaultRequestLimits),
  "JSON in quotes": (text) => parseJson(encoder.encode(JSON.stringify([text])), defaultRequestLimits),
  query: (text) => parseQuery(`?${text}`, 1000),
  cookies: parseCookies,
  Host: isPlainHost,
  "Content-Type": isMediaType,
  "Content-Type parameters": (text) => isMediaType(`application/json;${text}`),
  "X-Forwarded-For": (text) => trust.resolve(peer, () => text),
  address: toCanonicalAddress,
  network: networkOf,
  "Accept-Encoding": (text) => chooseEncoding(text, ["br", "gzip"]),
  Range: (text) => parseRange(`bytes=${text}`, 1000),
  path: (text) => splitPath(`/${text}`, false),
  "route pattern": (text) => parsePattern(`/${text}`),
  "access token": decodeToken,
  "access token, three parts": (text) => decodeToken(`a.${text}.b`),
  "e-mail, folded": foldEmail,
  "names and values in the log": (text) => redactor.redact({ [text]: text, list: [text] }),
  "arguments of a command": (text) => parseArgv([text, `--${text}`, `-${text}`], () => []),
};

export const part: Part = {
  id: "F2",
  title: "64 KB of adversarial text for every validator and parser",
  bar: "less than 5 ms each",
  needs: [],
  fullOnly: true,
  async run() {
    let slowest = { time: 0, name: "" };
    let cases = 0;
    const slow: string[] = [];
    for (const [name, read] of Object.entries(readers)) {
      for (const pattern of patterns) {
        for (const end of ["", "!", "\0"]) {
          const text = pattern.repeat(Math.ceil(size / pattern.length)).slice(0, size) + end;
          const time = leastTime(() => read(text));
          cases++;
          if (time >= limit) slow.push(`${name}, ${JSON.stringify(pattern + end)}: ${time.toFixed(1)} ms`);
          if (time > slowest.time) slowest = { time, name: `${name}, ${JSON.stringify(pattern)}` };
        }
      }
    }
    const figures = new Figures()
      .show("readers", Object.keys(readers).length)
      .show("texts", cases)
      .inTime("slowest ms", slowest.time, limit)
      .show("which", slowest.name);
    if (slow.length > 0) figures.note(slow.join("; "));
    return figures.done();
  },
};

/** The shortest of several tries, which leaves out the noise of the machine. */
function leastTime(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 20; attempt++) {
    const start = performance.now();
    try {
      work();
    } catch {
      // a refusal is fine
    }
    least = Math.min(least, performance.now() - start);
    if (least < (attempt < 3 ? 0.2 : limit / 2)) return least;
  }
  return least;
}
