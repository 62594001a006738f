import {
  casesOf,
  closes,
  get,
  host,
  line,
  post,
  responds,
  respondsWith,
  type WireExpectation,
} from "../../support/wire-case.ts";

const nothing: WireExpectation = { statuses: [], connection: "closed" };
const webSocket =
  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/** Expectations, odd methods and versions, upgrades, and several requests on one connection: H15, H16 and H17. */
export const exchangeCases = [
  ...casesOf("H15", {
    "an expected body over the limit": [post("Expect: 100-continue\r\nContent-Length: 99000000000\r\n"), closes(413)],
    "an expected body of a length that is not a number": [
      post("Expect: 100-continue\r\nContent-Length: x\r\n"),
      closes(400),
    ],
    "an expected body": [
      post("Expect: 100-continue\r\nContent-Length: 2\r\n", "{}"),
      { statuses: [100, 200], connection: "open", body: '"{}"' },
    ],
    "an expected body that is never read": [get("Expect: 100-continue\r\nContent-Length: 2\r\n"), closes(200)],
    "100-Continue in another case": [
      post("Expect: 100-CONTINUE\r\nContent-Length: 2\r\n", "{}"),
      { statuses: [100, 200], connection: "open" },
    ],
    "an unknown expectation": [get("Expect: something\r\n"), closes(417)],
    "an extra expectation": [get("Expect: 100-continue, something\r\n"), closes(417)],
    "OPTIONS *": [line("OPTIONS * HTTP/1.1"), closes(204)],
    "GET *": [line("GET * HTTP/1.1"), closes(400)],
    CONNECT: ["CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n", nothing],
    "CONNECT with bytes after it": [`CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n${get()}`, nothing],
    TRACE: [line("TRACE /posts HTTP/1.1"), closes(501)],
    "an unknown method": [line("BREW /posts HTTP/1.1"), closes(400)],
    "a method in lower case": [line("get /posts HTTP/1.1"), closes(400)],
    "a method named __proto__": [line("__proto__ /posts HTTP/1.1"), closes(400)],
    "a method named constructor": [line("constructor /posts HTTP/1.1"), closes(400)],
    "a method that no route has": [line("PROPFIND /posts HTTP/1.1"), responds(404)],
    "HTTP/2.0": [line("GET /posts HTTP/2.0"), closes(505)],
    "the preface of HTTP/2": ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", closes(400)],
    "HTTP/3.0": [line("GET /posts HTTP/3.0"), closes(505)],
    "HTTP/1.2": [line("GET /posts HTTP/1.2"), closes(505)],
    "HTTP/1.10": [line("GET /posts HTTP/1.10"), closes(400)],
    "HTTP/0.9 by name": [line("GET /posts HTTP/0.9"), closes(505)],
    "HTTP/0.9": ["GET /posts\r\n\r\n", closes(505)],
    "http in lower case": [line("GET /posts http/1.1"), closes(400)],
    "a version without a point": [line("GET /posts HTTP/11"), closes(400)],
    "a protocol of another name": [line("GET /posts ICE/1.0"), closes(400)],
    "a TLS hello": ["\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", closes(400)],
  }),
  ...casesOf("H16", {
    "an upgrade to a web socket": [get(webSocket), closes(200)],
    "an upgrade to a web socket, and a request after it": [get(webSocket) + get(), closes(200)],
    "an upgrade after another request": [
      get() + get(webSocket) + get(),
      { statuses: [200, 200], connection: "closed" },
    ],
    "an upgrade to h2c": [
      get("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n"),
      closes(200),
    ],
    "an upgrade of a request with a body": [
      post("Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n", "{}") + get(),
      { statuses: [200], connection: "closed", body: '"{}"' },
    ],
    "Upgrade to nothing": [get("Connection: Upgrade\r\nUpgrade: \r\n"), responds(200)],
    "Upgrade after a blank that is none": [get("Connection: \xa0Upgrade\r\nUpgrade: websocket\r\n"), responds(200)],
    "Upgrade without Connection": [get("Upgrade: websocket\r\n"), responds(200)],
    "Connection without Upgrade": [get("Connection: Upgrade\r\n"), responds(200)],
    "Connection names a header that a proxy would drop": [
      get("Connection: Authorization\r\nAuthorization: a\r\n"),
      respondsWith("a"),
    ],
  }),
  ...casesOf("H17", {
    "three requests at once": [get().repeat(3), responds(200, 200, 200)],
    "a body between two requests": [get() + post("Content-Length: 2\r\n", "{}") + get(), responds(200, 200, 200)],
    "a refused request before another": [get(host) + get(), closes(400)],
    "a broken request before another": [`BROKEN\r\n\r\n${get()}`, closes(400)],
    "a refused request between two": [get() + get(host) + get(), { statuses: [200, 400], connection: "closed" }],
    "a malformed path between two": [get() + get("", "/%zz") + get(), responds(200, 400, 200)],
    "a miss between two": [get() + get("", "/nowhere") + get(), responds(200, 404, 200)],
    "a request after Connection: close": [get("Connection: close\r\n") + get(), closes(200)],
    "a request after close with a blank that is none": [get("Connection: \xa0close\r\n") + get(), responds(200, 200)],
    "HTTP/1.0 closes": [line("GET /posts HTTP/1.0") + get(), closes(200)],
    "HTTP/1.0 with keep-alive": [line("GET /posts HTTP/1.0", "Connection: keep-alive\r\n"), responds(200)],
    "a body that is too large before another request": [
      post(`Content-Length: ${2 ** 21}\r\n`, `{}${get()}`),
      closes(413),
    ],
  }),
];
