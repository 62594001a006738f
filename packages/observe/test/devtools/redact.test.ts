import assert from "node:assert/strict";
import { test } from "node:test";
import {
  findSecretRoute,
  redactAddresses,
  redactHeaders,
  redactPath,
  redactQuery,
  toRecordedBody,
} from "../../src/devtools/redact.ts";

const body = (type: string, text: string) => toRecordedBody(type, Buffer.from(text));

test("headers lose their credentials, and cookies keep their names", () => {
  assert.deepEqual(
    redactHeaders({
      authorization: "Bearer x",
      cookie: "a=1; b=2",
      "set-cookie": ["a=1; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "b=2; HttpOnly"],
      "x-api-key": "k",
      "x-csrf-token": "t",
      referer: "http://localhost/reset?token=x&page=2",
      location: "/next?code=1&session_id=2",
      accept: "text/html",
    }),
    {
      authorization: "[redacted]",
      cookie: "a=[redacted]; b=[redacted]",
      "set-cookie": "a=[redacted]; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT, b=[redacted]; HttpOnly",
      "x-api-key": "[redacted]",
      "x-csrf-token": "[redacted]",
      referer: "http://localhost/reset?token=[redacted]&page=2",
      location: "/next?code=1&session_id=[redacted]",
      accept: "text/html",
    },
  );
});

test("secret parameters of a query and of a path are replaced", () => {
  assert.equal(
    redactQuery("/a?pass%77ord=x&b=1#access_token=y"),
    "/a?pass%77ord=[redacted]&b=1#access_token=[redacted]",
  );
  assert.equal(redactQuery("/a?%E0%A4%A=1"), "/a?%E0%A4%A=1");
  assert.equal(redactPath("/reset/abc/2", "/reset/:token/:page"), "/reset/[redacted]/2");
  assert.equal(redactPath("/reset/abc", undefined), "/reset/abc");
});

test("bodies keep what is no secret, at any depth", () => {
  assert.deepEqual(
    body("application/json", '{"user":{"name":"Ada","password":"x","tokens":["a"]},"secret":"","isToken":true}'),
    {
      type: "application/json",
      size: 80,
      text: '{"user":{"name":"Ada","password":"[redacted]","tokens":"[redacted]"},"secret":"","isToken":true}',
      isRedacted: true,
    },
  );
  assert.equal(body("application/problem+json; charset=utf-8", "[1]").text, "[1]");
  assert.equal(
    body("application/x-www-form-urlencoded", "email=a%40b.c&pass+word=x&_csrf=y&empty_token=").text,
    "email=a%40b.c&pass+word=[redacted]&_csrf=[redacted]&empty_token=",
  );
  assert.equal(
    body("text/html; charset=utf-8", '<input type="hidden" name="_csrf" value="x"><input name="title" value="y">').text,
    '<input type="hidden" name="_csrf" value="[redacted]"><input name="title" value="y">',
  );
  assert.deepEqual(body("text/plain", "hello"), { type: "text/plain", size: 5, text: "hello", isRedacted: false });
});

test("names that are values themselves count", () => {
  const text =
    '{"headers":["Authorization","hunter2","Accept","a"],"fields":[{"name":"password","value":"hunter2"},{"key":"a","value":"b"}]}';
  assert.equal(
    body("application/json", text).text,
    '{"headers":["Authorization","[redacted]","Accept","a"],"fields":[{"name":"password","value":"[redacted]"},{"key":"a","value":"b"}]}',
  );
});

test("what cannot be redacted is not kept", () => {
  assert.deepEqual(body("application/json", '{"password":"x'), { type: "application/json", size: 14 });
  assert.deepEqual(body("application/json", "[".repeat(60_000)), { type: "application/json", size: 60_000 });
  assert.deepEqual(body("multipart/form-data; boundary=x", "--x"), {
    type: "multipart/form-data; boundary=x",
    size: 3,
  });
  assert.deepEqual(body("image/png", "png"), { type: "image/png", size: 3 });
  assert.deepEqual(body("text/plain", "x".repeat(64 * 1024 + 1)), { type: "text/plain", size: 64 * 1024 + 1 });
  assert.deepEqual(toRecordedBody("text/plain", new Uint8Array([0xff])), { type: "text/plain", size: 1 });
  assert.deepEqual(body("", ""), { type: "", size: 0 });
});

test("a cookie without a name, one with a comma, and URLs in any header lose their secrets", () => {
  assert.deepEqual(
    redactHeaders({
      cookie: "hunter2; a=1; b==2",
      "set-cookie": ["a=1,hunter2; Path=/", "hunter2"],
      "hx-current-url": "http://localhost/reset?token=hunter2",
      link: '</next?access_token=hunter2>; rel="next"',
      refresh: "0; url=/reset?token=hunter2",
      accept: "text/html;q=0.9, */*;q=0.8",
    }),
    {
      cookie: "[redacted]; a=[redacted]; b=[redacted]",
      "set-cookie": "a=[redacted]; Path=/, [redacted]",
      "hx-current-url": "http://localhost/reset?token=[redacted]",
      link: '</next?access_token=[redacted]>; rel="next"',
      refresh: "0; url=/reset?token=[redacted]",
      accept: "text/html;q=0.9, */*;q=0.8",
    },
  );
});

test("the whole value of a secret parameter is replaced, whatever it contains", () => {
  assert.equal(redactQuery("/a?token=one;hunter2?&b=1;token=two"), "/a?token=[redacted]&b=1;token=[redacted]");
  assert.equal(redactQuery("/a;token=hunter2?b=1"), "/a;token=[redacted]");
  assert.equal(redactQuery("/a?pass%77ord%=hunter2"), "/a?pass%77ord%=[redacted]");
  const form = (text: string) => body("application/x-www-form-urlencoded", text).text;
  assert.equal(form("password==hunter2&a==b"), "password=[redacted]&a==b");
  assert.equal(form("pass%77ord%=hunter2"), "pass%77ord%=[redacted]");
});

test("a body of another type than the client says is not kept with its secrets", () => {
  const json = '{"user":"Ada","password":"hunter2"}';
  for (const type of ["application/x-www-form-urlencoded", "text/plain;charset=UTF-8"]) {
    assert.equal(body(type, json).text, '{"user":"Ada","password":"[redacted]"}', type);
  }
  const form = '--x\r\ncontent-disposition: form-data; name="password"\r\n\r\nhunter2\r\n--x--';
  assert.equal(body("Multipart/Form-Data; boundary=x", form).text, undefined);
});

test("HTML and XML lose secrets in forms, meta elements, elements and links", () => {
  assert.equal(
    body(
      "text/html",
      `<meta name="csrf-token" content="hunter2"><input name='_csrf' value='hunter2'><input value=hunter2 name=_csrf><a href="/reset?token=hunter2&amp;b=1">a</a>`,
    ).text,
    `<meta name="csrf-token" content="[redacted]"><input name='_csrf' value="[redacted]"><input value="[redacted]" name=_csrf><a href="/reset?token=[redacted]&amp;b=1">a</a>`,
  );
  assert.equal(
    body("application/soap+xml", '<a><user>Ada</user><ns:Password type="x">hunter2</ns:Password></a>').text,
    '<a><user>Ada</user><ns:Password type="x">[redacted]</ns:Password></a>',
  );
});

test("hostile bodies are redacted in an instant: a pattern that looks back would take minutes", () => {
  for (const part of ["<input ", "<a ", "?a;", ";a=", "&token", '<input name="', "<x>", "; ", "?a=;"]) {
    const text = part.repeat(64 * 1024).slice(0, 64 * 1024);
    for (const type of ["text/html", "text/xml", "application/x-www-form-urlencoded"]) {
      assert.equal(body(type, text).size, text.length);
    }
  }
});

test("a path that misses its route, by its method or a slash, still loses its secret", () => {
  const routes = ["/items/:id", "/Reset/:token/:page"];
  for (const [path, clean] of [
    ["/reset/hunter2/1", "/reset/[redacted]/1"],
    ["//res%65t//hunter2/1/", "//res%65t//[redacted]/1/"],
    ["/reset/hunter2/1/more", "/reset/[redacted]/1/more"],
    ["/items/1/2", "/items/1/2"],
    ["/reset", "/reset"],
  ] as const) {
    assert.equal(redactPath(path, findSecretRoute(path, routes)), clean);
  }
  assert.deepEqual(
    redactAddresses(
      { referer: "http://localhost:1/reset/hunter2/1?a=1", location: "/reset/hunter2/2", a: "b" },
      routes,
    ),
    { referer: "http://localhost:1/reset/[redacted]/1?a=1", location: "/reset/[redacted]/2", a: "b" },
  );
});
