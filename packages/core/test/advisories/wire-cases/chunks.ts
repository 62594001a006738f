import {
  casesOf,
  chunked,
  closes,
  get,
  post,
  responds,
  respondsWith,
  type WireExpectation,
} from "../../support/wire-case.ts";

const end = "0\r\n\r\n";
const both: WireExpectation = { statuses: [200, 200], connection: "open" };

/** Bodies in chunks: H1, H3 and H4. */
export const chunkCases = [
  ...casesOf("H1", {
    ChuNKed: [chunked(`3\r\nabc\r\n${end}`, " ChuNKed"), respondsWith("abc")],
    "CHUNKED, and a request after it": [chunked(`3\r\nabc\r\n${end}`, " CHUNKED") + get(), both],
    "chunked after a tab": [chunked(`3\r\nabc\r\n${end}`, "\tchunked"), respondsWith("abc")],
    "chunked with a space after it": [chunked(`3\r\nabc\r\n${end}`, " chunked "), respondsWith("abc")],
    "chunked with a tab and a space after it": [chunked(`3\r\nabc\r\n${end}`, " chunked\t "), closes(400)],
    "chunked with a tab after it": [chunked(`3\r\nabc\r\n${end}`, " chunked\t"), closes(400)],
    "chunked right after the colon": [chunked(`3\r\nabc\r\n${end}`, "chunked"), respondsWith("abc")],
    "a body of no chunks, and a request after it": [chunked(end) + get(), both],
    "chunks of one byte": [chunked(`${"1\r\nx\r\n".repeat(64)}${end}`), respondsWith("x".repeat(64))],
    "a size with zeros before it": [chunked(`0003\r\nabc\r\n${end}`), respondsWith("abc")],
    "a size in capital letters": [chunked(`A\r\nabcdefghij\r\n${end}`), respondsWith("abcdefghij")],
    "a request inside a chunk": [chunked(`${get().length.toString(16)}\r\n${get()}\r\n${end}`), respondsWith(get())],
    "a trailer, and a request after it": [chunked("1\r\na\r\n0\r\nX-Checksum: 1\r\n\r\n") + get(), both],
    "an extension": [chunked(`3;name=value\r\nabc\r\n${end}`), respondsWith("abc")],
    "a quoted extension": [chunked(`3;name="a;b"\r\nabc\r\n${end}`), respondsWith("abc")],
  }),
  ...casesOf("H3", {
    "a line feed in an extension": [chunked(`3;a\nabc\r\n${end}`), closes(400)],
    "a line feed in a quoted extension": [chunked(`3;a="\n"\r\nabc\r\n${end}`), closes(400)],
    "a carriage return in an extension": [chunked(`3;a\rb\r\nabc\r\n${end}`), closes(400)],
    "a NUL in an extension": [chunked(`3;a\0\r\nabc\r\n${end}`), closes(400)],
    "a space after the size": [chunked(`3 \r\nabc\r\n${end}`), closes(400)],
    "a tab after the size": [chunked(`3\t\r\nabc\r\n${end}`), closes(400)],
    "a space before the size": [chunked(` 3\r\nabc\r\n${end}`), closes(400)],
    "no line end after the data": [chunked(`3\r\nabc${end}`), closes(400)],
    "a line feed alone after the size": [chunked(`3\nabc\r\n${end}`), closes(400)],
    "a line feed alone after the data": [chunked(`3\r\nabc\n${end}`), closes(400)],
    "a carriage return alone after the size": [chunked(`3\rabc\r\n${end}`), closes(400)],
    "a carriage return alone after the data": [chunked(`3\r\nabc\r${end}`), closes(400)],
    "more data than the size": [chunked(`3\r\nabcd\r\n${end}`), closes(400)],
    "a size that is hexadecimal twice": [chunked(`0x3\r\nabc\r\n${end}`), closes(400)],
    "a size with a sign": [chunked(`+3\r\nabc\r\n${end}`), closes(400)],
    "a negative size": [chunked(`-3\r\nabc\r\n${end}`), closes(400)],
    "no size": [chunked(`\r\nabc\r\n${end}`), closes(400)],
    "a size that is not a number": [chunked(`g\r\nabc\r\n${end}`), closes(400)],
    "a size past 64 bits": [chunked(`10000000000000003\r\nabc\r\n${end}`), closes(400)],
    "a size with an underscore": [chunked(`1_0\r\nabc\r\n${end}`), closes(400)],
    "a last chunk that ends with line feeds": [chunked("3\r\nabc\r\n0\n\n"), closes(400)],
    "a trailer that ends with a line feed": [chunked("3\r\nabc\r\n0\r\nX-A: 1\n\r\n"), closes(400)],
    "a control character in half a trailer": [chunked("3\r\nabc\r\n0\r\nX-A: \x01"), closes(400)],
    "a trailer without a colon": [chunked("3\r\nabc\r\n0\r\nX-A\r\n\r\n"), closes(400)],
    "a folded trailer": [chunked("3\r\nabc\r\n0\r\nX-A: 1\r\n 2\r\n\r\n"), closes(400)],
    "a request hidden after a broken last chunk": [chunked(`3\r\nabc\r\n0\r\n${get()}`), closes(400)],
    "a trailer that would close the connection": [
      chunked("3\r\nabc\r\n0\r\nConnection: close\r\n\r\n") + get(),
      closes(400),
    ],
    "a trailer that would change the framing": [
      chunked("3\r\nabc\r\n0\r\nContent-Length: 9\r\n\r\n") + get(),
      { statuses: [400], connection: "closed" },
    ],
  }),
  ...casesOf("H4", {
    "an extension of 20 KB": [chunked(`3;${"a".repeat(20_480)}\r\nabc\r\n${end}`), closes(413)],
    "extensions of 20 KB in all, none of them long": [
      chunked(`1;${"a".repeat(102)}\r\nx\r\n`.repeat(200) + end),
      respondsWith("x".repeat(200)),
    ],
    "an extension of 20 KB on the last chunk": [chunked(`3\r\nabc\r\n0;${"a".repeat(20_480)}\r\n\r\n`), closes(413)],
    "an extension of 1 KB": [chunked(`3;${"a".repeat(1024)}\r\nabc\r\n${end}`), respondsWith("abc")],
    "trailers of 16 KiB": [
      chunked(`3\r\nabc\r\n0\r\n${`X-A: ${"a".repeat(1017)}\r\n`.repeat(16)}\r\n`),
      respondsWith("abc"),
    ],
    "a trailer of 17 KB": [chunked(`3\r\nabc\r\n0\r\nX-A: ${"a".repeat(17_000)}\r\n\r\n`), closes(431)],
    "trailers of 17 KB, none of them long": [
      chunked(`3\r\nabc\r\n0\r\n${`X-A: ${"a".repeat(93)}\r\n`.repeat(170)}\r\n`),
      closes(431),
    ],
    "201 trailers": [chunked(`3\r\nabc\r\n0\r\n${"X-A: a\r\n".repeat(201)}\r\n`), closes(431)],
    "a trailer of 30 KB": [chunked(`3\r\nabc\r\n0\r\nX-A: ${"a".repeat(30_000)}\r\n\r\n`), closes(431)],
    "an extension of 20 KB that is never read": [
      `${get("Transfer-Encoding: chunked\r\n")}3;${"a".repeat(20_480)}\r\nabc\r\n${end}`,
      closes(200),
    ],
    "an unread body in chunks, and a request after it": [
      `${get("Transfer-Encoding: chunked\r\n")}3\r\nabc\r\n${end}${post("Content-Length: 2\r\n", "{}")}`,
      closes(200),
    ],
    "an unread body of a known length, and a request after it": [
      `${get("Content-Length: 3\r\n")}abc${get()}`,
      responds(200, 200),
    ],
  }),
];
