import { casesOf, closes, get, line, responds, respondsWith } from "../../support/wire-case.ts";

const from = (value: string) => `GET /posts HTTP/1.1\r\nHost: ${value}\r\n\r\n`;

/** The number, size and repetition of headers, and the value of Host: H5, H6, H11, H12 and H13. */
export const headerCases = [
  ...casesOf("H5", {
    "200 headers, Authorization the last": [
      get(`${"a: b\r\n".repeat(198)}Authorization: last\r\n`),
      respondsWith("last"),
    ],
    "201 headers, Authorization the last": [get(`${"a: b\r\n".repeat(199)}Authorization: last\r\n`), closes(431)],
    "201 headers, X-Forwarded-For the last": [
      get(`${"a: b\r\n".repeat(199)}X-Forwarded-For: 1.2.3.4\r\n`),
      closes(431),
    ],
    "2,000 headers, Authorization the last": [get(`${"a: b\r\n".repeat(1998)}Authorization: last\r\n`), closes(431)],
    "2,000 different headers": [
      get(Array.from({ length: 1999 }, (_, index) => `x${index}: y\r\n`).join("")),
      closes(431),
    ],
    "headers of more than 16 KiB": [get(`X-A: ${"a".repeat(16_384)}\r\n`), closes(431)],
    "headers of 100 KiB": [get(`X-A: ${"a".repeat(102_400)}\r\n`), closes(431)],
    "a name of 20 KiB": [get(`${"a".repeat(20_480)}: b\r\n`), closes(431)],
    "a target of 8 KiB and one byte": [get("", `/${"a".repeat(8192)}`), closes(414)],
    "a target of 100 KiB": [get("", `/${"a".repeat(102_400)}`), closes(414)],
    "a target of 8 KiB": [get("", `/posts?${"a".repeat(8192 - 7)}`), responds(200)],
    "a method of 10 KiB": [line(`${"A".repeat(10_240)} /posts HTTP/1.1`), closes(400)],
  }),
  ...casesOf("H6", {
    "a header named __proto__": [get("__proto__: a\r\n"), responds(200)],
    "a header named constructor": [get("constructor: a\r\n"), responds(200)],
    "headers named after every part of Object.prototype": [
      get("hasOwnProperty: a\r\ntoString: b\r\nvalueOf: c\r\n__defineGetter__: d\r\nisPrototypeOf: e\r\n"),
      responds(200),
    ],
    "the same such header twice": [get("__proto__: a\r\n__proto__: b\r\n"), responds(200)],
    "cookies named after Object.prototype": [get("Cookie: __proto__=a; constructor=b; toString=c\r\n"), responds(200)],
  }),
  ...casesOf("H11", {
    "Host twice": [get("Host: localhost\r\n"), closes(400)],
    "Host twice, in two cases": [get("hOST: localhost\r\n"), closes(400)],
    "two Hosts": [get("Host: example.org\r\n"), closes(400)],
    "no Host": ["GET /posts HTTP/1.1\r\n\r\n", closes(400)],
    "Authorization twice": [get("Authorization: Bearer a\r\nauthorization: Bearer b\r\n"), closes(400)],
    "Content-Type twice": [get("Content-Type: application/json\r\nContent-Type: text/plain\r\n"), closes(400)],
    "X-API-Key twice": [get("X-API-Key: a\r\nX-Api-Key: a\r\n"), closes(400)],
    "Cookie twice is one list": [get("Cookie: a=1\r\nCookie: b=2\r\n"), responds(200)],
    "X-Forwarded-For twice is one list": [
      get("X-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 2.2.2.2\r\n"),
      responds(200),
    ],
  }),
  ...casesOf("H12", {
    "a user in Host": [from("evil:x@good"), closes(400)],
    "a space in Host": [from("a b"), closes(400)],
    "a slash in Host": [from("a/b"), closes(400)],
    "a backslash in Host": [from("a\\b"), closes(400)],
    "a question mark in Host": [from("a?b"), closes(400)],
    "a hash in Host": [from("a#b"), closes(400)],
    "two hosts in Host": [from("a, b"), closes(400)],
    "a scheme in Host": [from("http://a"), closes(400)],
    "markup in Host": [from('a"><script>'), closes(400)],
    "a percent sign in Host": [from("a%2eb"), closes(400)],
    "an absolute target with a user": [get("", "http://u@localhost/posts"), closes(400)],
    "an absolute target without a host": [get("", "http:///posts"), closes(400)],
    "an absolute target beside a hostile Host": [
      "GET http://localhost/posts HTTP/1.1\r\nHost: evil:x@good\r\n\r\n",
      closes(400),
    ],
    "an absolute target": [get("", "http://localhost/posts"), responds(200)],
    "a target without a slash": [get("", "posts"), closes(400)],
    "a target of another scheme": [get("", "ftp://localhost/posts"), closes(400)],
  }),
  ...casesOf("H13", {
    "an empty Host": [from(""), closes(400)],
    "an open bracket in Host": [from("[::1"), closes(400)],
    "no IPv6 address between brackets": [from("[::g]"), closes(400)],
    "an IPv6 address with a zone": [from("[fe80::1%25eth0]"), closes(400)],
    "a port that is not a number": [from("a:x"), closes(400)],
    "a port without a number": [from("a:"), closes(400)],
    "a port past 65535": [from("a:65536"), closes(400)],
    "an octet past 255": [from("1.2.3.999"), closes(400)],
    "a number for a host": [from("2130706433"), closes(400)],
    "a hexadecimal host": [from("0x7f.1"), closes(400)],
    "an empty label": [from("a..b"), closes(400)],
    "a letter beyond ASCII": [from("\xe9.example"), closes(400)],
    "a host of 300 characters": [from("a".repeat(300)), closes(400)],
    "a name and a port": [from("LOCALHOST:8080"), responds(200)],
    "an IPv6 address and a port": [from("[::1]:80"), responds(200)],
  }),
];
