import { casesOf, chunked, closes, get, post, responds } from "../../support/wire-case.ts";

const json = (body: string) => post(`Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`, body);
const range = (count: number, step = 1) => Array.from({ length: count }, (_, index) => index * step);

/** Requests that never end, colliding names and deep nesting: H7, H8 and H9. */
export const bodyCases = [
  ...casesOf("H7", {
    "nothing at all": ["", { statuses: [408], connection: "closed" }],
    "an empty line": ["\r\n", { statuses: [408], connection: "closed" }],
    "half a method": ["PO", closes(408)],
    "half a request line": ["GET /posts HTTP", closes(408)],
    "a request line": ["GET /posts HTTP/1.1\r\n", closes(408)],
    "half a header": ["GET /posts HTTP/1.1\r\nHost: loc", closes(408)],
    "a head without its last line": [get("X-A: b\r\n").slice(0, -2), closes(408)],
    "half a body": [post("Content-Length: 10\r\n", "{}"), closes(408)],
    "a body that never arrives": [post("Content-Length: 10\r\n"), closes(408)],
    "half a chunk": [chunked("5\r\nabc"), closes(408)],
    "chunks without a last one": [chunked("3\r\nabc\r\n"), closes(408)],
    "half a trailer": [chunked("3\r\nabc\r\n0\r\nX-A: "), closes(408)],
    "half a request after a whole one": [`${get()}GET /po`, { statuses: [200, 408], connection: "closed" }],
  }),
  ...casesOf("H8", {
    "1,000 integer-like names in the query": [get("", `/posts?${range(1000).join("&")}`), responds(200)],
    "integer-like names whose hashes are a power of two apart": [
      get("", `/posts?${range(600, 65_536).join("&")}`),
      responds(200),
    ],
    "2,000 integer-like names in a JSON body": [
      json(JSON.stringify(Object.fromEntries(range(2000).map((number) => [number, 0])))),
      responds(200),
    ],
    "1,001 pairs in the query": [get("", `/posts?${range(1001).join("&")}`), responds(400)],
  }),
  ...casesOf("H9", {
    "JSON nested 64 deep": [json("[".repeat(64) + "]".repeat(64)), responds(200)],
    "JSON nested 65 deep": [json("[".repeat(65) + "]".repeat(65)), responds(400)],
    "5,000 open brackets": [json("[".repeat(5000)), responds(400)],
    "objects nested 2,000 deep": [json(`${'{"a":'.repeat(2000)}1${"}".repeat(2000)}`), responds(400)],
    "brackets inside a string": [json(`{"a":"${"[".repeat(5000)}"}`), responds(200)],
    "a path of 4,000 segments": [get("", "/a".repeat(4000)), responds(404)],
  }),
];
