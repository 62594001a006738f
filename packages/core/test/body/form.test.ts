import assert from "node:assert/strict";
import { test } from "node:test";
import { BindError, type Context, type Routes } from "@tenon/core";
import { bodyLimit } from "@tenon/core/middleware";
import fc from "fast-check";
import { Form, type FormLimits, isForm, parseForm } from "../../src/body/form.ts";
import { seeded } from "../support/seed.ts";
import { type Call, testOnBothTransports } from "../support/transports.ts";

const limits: FormLimits = { formParts: 1000, files: 20, fileSize: 1024 };
const urlencoded = "application/x-www-form-urlencoded";
const parse = (text: string | Uint8Array, changed: Partial<FormLimits> = {}) =>
  parseForm(typeof text === "string" ? new TextEncoder().encode(text) : text, urlencoded, { ...limits, ...changed });
const entries = (form: Form) => Object.entries(form.toRecord());

test("a form returns the first value, all values, and whether a name exists", () => {
  const form = parse("a=1&b=2&a=3&blank=");
  assert.deepEqual([form.get("a"), form.get("b"), form.get("c"), form.get("blank")], ["1", "2", "", ""]);
  assert.deepEqual([form.all("a"), form.all("b"), form.all("c")], [["1", "3"], ["2"], []]);
  assert.deepEqual([form.has("a"), form.has("blank"), form.has("c")], [true, true, false]);
  assert.deepEqual([...form.names()], ["a", "b", "blank"]);
  assert.deepEqual(entries(form), [
    ["a", ["1", "3"]],
    ["b", "2"],
    ["blank", ""],
  ]);
  assert.deepEqual(form.files, []);
  assert.equal(form.file("a"), undefined);
});

test("toRecord() returns a copy", () => {
  const form = parse("a=1&a=2");
  const { a } = form.toRecord();
  assert.ok(Array.isArray(a));
  a.push("3");
  assert.deepEqual(form.all("a"), ["1", "2"]);
});

test("a form may be empty, and pairs may lack a name, a value or both", () => {
  assert.deepEqual(entries(parse("")), []);
  assert.deepEqual(entries(parse("&&&")), []);
  assert.deepEqual(entries(parse("a=&b&=c&&d=e=f&")), [
    ["a", ""],
    ["b", ""],
    ["", "c"],
    ["d", "e=f"],
  ]);
});

test("plus and percent-encoding are decoded, also in names, and brackets do not nest", () => {
  assert.deepEqual(entries(parse("a+b=c%20d&%C3%A9=%26%3D%2B%25&a[b][c]=1&d[]=2&d[]=3&e=1,2&raw=ü")), [
    ["a b", "c d"],
    ["é", "&=+%"],
    ["a[b][c]", "1"],
    ["d[]", ["2", "3"]],
    ["e", "1,2"],
    ["raw", "ü"],
  ]);
});

test("__proto__, constructor and prototype are plain names (B7)", () => {
  const form = parse("__proto__=x&__proto__=polluted&constructor=y&prototype=z&toString=t");
  const record = form.toRecord();
  assert.equal(Object.getPrototypeOf(record), null);
  assert.deepEqual(Object.keys(record), ["__proto__", "constructor", "prototype", "toString"]);
  assert.deepEqual(form.all("__proto__"), ["x", "polluted"]);
  assert.equal("polluted" in {}, false);
  assert.deepEqual([parse("").has("toString"), parse("").get("constructor")], [false, ""]);
});

const refused = (run: () => unknown, message: string) =>
  assert.throws(run, (error) => {
    assert.ok(error instanceof BindError);
    assert.equal(error.status, 400);
    assert.deepEqual(error.issues, [{ path: "", rule: "form", message }]);
    return true;
  });

test("malformed percent-encoding and invalid UTF-8 are refused, without quoting the form", () => {
  for (const text of ["a=%", "%zz=1", "a=%c3", "a=1&b=%E0%A4", "a=%C0%80", "a=%ED%A0%80", "password=hunter2%"]) {
    refused(() => parse(text), "has malformed percent-encoding");
  }
  for (const bytes of [[0x61, 0x3d, 0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xc3]]) {
    refused(() => parse(new Uint8Array(bytes)), "is not UTF-8");
  }
});

const tooLarge = { name: "HttpError", status: 413, message: "Payload Too Large" };

test("as many pairs as the limit pass, and one more is 413", () => {
  const pairs = (count: number) => Array.from({ length: count }, () => "a=1").join("&");
  assert.equal(parse(pairs(1000)).all("a").length, 1000);
  assert.throws(() => parse(pairs(1001)), tooLarge);
  assert.throws(() => parse("a&b&c", { formParts: 2 }), tooLarge);
  assert.deepEqual(entries(parse("&".repeat(100_000))), [], "empty pairs do not count");
});

test("a megabyte without a single '=' or full of them is read in one pass", () => {
  const long = "a".repeat(1000);
  const without = Array.from({ length: 1000 }, () => long).join("&");
  assert.equal(parse(without).all(long).length, 1000);
  assert.equal(parse("=".repeat(1024 * 1024)).get("").length, 1024 * 1024 - 1);
  assert.equal(parse(`a=${"+".repeat(1024 * 1024)}`).get("a"), " ".repeat(1024 * 1024));
  assert.equal(parse(`a=${"%20".repeat(300_000)}`).get("a"), " ".repeat(300_000));
  refused(() => parse("%".repeat(1024 * 1024)), "has malformed percent-encoding");
});

test("any form that a browser encodes is read back", () => {
  // fc.string({ unit: "binary" }) has the same values, and takes a second to make
  const codePoint = fc.oneof(fc.nat(0x7f), fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }));
  const text = fc.array(codePoint, { maxLength: 20 }).map((codes) => String.fromCodePoint(...codes));
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { maxLength: 20 }), (pairs) => {
      const form = parse(new URLSearchParams(pairs).toString());
      const expected = new Form(pairs);
      assert.deepEqual(form.toRecord(), expected.toRecord());
      assert.deepEqual([...form.names()], [...expected.names()]);
    }),
    seeded("urlencoded forms", { fast: 500, full: 50_000 }),
  );
});

test("only urlencoded and multipart bodies are forms", () => {
  for (const type of [
    urlencoded,
    "multipart/form-data; boundary=x",
    "Multipart/Form-Data ;boundary=x",
    ` ${urlencoded.toUpperCase()} ; charset=utf-8`,
  ]) {
    assert.equal(isForm(type), true, type);
  }
  for (const type of [
    "",
    "text/plain",
    "application/json",
    "multipart/mixed; boundary=x",
    "multipart/form-data-x",
    `x${urlencoded}`,
    `text/plain; a=${urlencoded}`,
    "__proto__",
  ]) {
    assert.equal(isForm(type), false, type);
    assert.throws(
      () => parseForm(new Uint8Array(), type, limits),
      (error) => error instanceof BindError && error.issues[0]?.rule === "content-type",
    );
  }
});

const show = async (ctx: Context) => {
  const form = await ctx.request().form();
  return {
    fields: form.toRecord(),
    files: form.files.map(({ field, name, type, bytes }) => ({ field, name, type, size: bytes.byteLength })),
  };
};
const routes: Routes = [
  { method: "POST", path: "/show", handler: show },
  { method: "POST", path: "/large", middlewares: [bodyLimit(4 * 1024 * 1024)], handler: show },
  {
    method: "POST",
    path: "/twice",
    handler: async (ctx) => {
      const form = await ctx.request().form();
      const body = new TextDecoder().decode(await ctx.request().body());
      return { same: form === (await ctx.request().form()), body, field: form.get("a") };
    },
  },
  {
    method: "POST",
    path: "/unawaited",
    handler: (ctx) => {
      void ctx.request().form();
      return "continued";
    },
  },
];
const postForm = (call: Call, path: string, body: string) =>
  call("POST", path, { body, headers: { "content-type": urlencoded } });
/** As bytes: cancelling a half-read FormData crashes node. */
async function postMultipart(call: Call, path: string, data: FormData): Promise<Response> {
  const encoded = new Response(data);
  const type = encoded.headers.get("content-type") ?? "";
  return call("POST", path, { body: await encoded.bytes(), headers: { "content-type": type } });
}
const upload = (size: number) => {
  const data = new FormData();
  data.append("title", "Hi");
  data.append("file", new Blob([new Uint8Array(size)], { type: "image/png" }), "a.png");
  return data;
};

testOnBothTransports("ctx.request().form() reads both kinds of form", routes, async (call) => {
  const plain = await postForm(call, "/show", "a=1&a=2&b=%C3%BC");
  assert.deepEqual(await plain.json(), { fields: { a: ["1", "2"], b: "ü" }, files: [] });
  const multipart = await postMultipart(call, "/show", upload(3));
  assert.deepEqual(await multipart.json(), {
    fields: { title: "Hi" },
    files: [{ field: "file", name: "a.png", type: "image/png", size: 3 }],
  });
});

testOnBothTransports("a form is parsed once, and leaves the body unchanged", routes, async (call) => {
  const result = await (await postForm(call, "/twice", "a=1+2")).json();
  assert.deepEqual(result, { same: true, body: "a=1+2", field: "1 2" });
});

testOnBothTransports(
  "form() of another content type, or of a malformed form, is 400",
  routes,
  async (call, _app, log) => {
    for (const type of ["application/json", "text/plain"]) {
      const response = await call("POST", "/show", { body: "a=1", headers: { "content-type": type } });
      assert.deepEqual([response.status, await response.json()], [400, { error: "Invalid request" }]);
    }
    const untyped = await call("POST", "/show", { body: new TextEncoder().encode("a=1") });
    assert.deepEqual([untyped.status, await untyped.json()], [400, { error: "Invalid request" }]);
    const malformed = await postForm(call, "/show", "password=hunter2%");
    assert.deepEqual([malformed.status, await malformed.json()], [400, { error: "Invalid request" }]);
    assert.equal(JSON.stringify(log.all).includes("hunter2"), false);
  },
);

testOnBothTransports("a malformed form that is not awaited does not crash the process", routes, async (call) => {
  assert.equal(await (await postForm(call, "/unawaited", "%")).json(), "continued");
  assert.equal((await postForm(call, "/show", "a=1")).status, 200);
});

testOnBothTransports("a form has the limit of a body, and a route may raise it", routes, async (call) => {
  assert.equal((await postMultipart(call, "/show", upload(1024 * 1024))).status, 413);
  const large = await postMultipart(call, "/large", upload(2 * 1024 * 1024));
  assert.match(await large.text(), /"size":2097152/);
});

testOnBothTransports(
  "parts, files and the size of a file have limits of their own",
  routes,
  async (call) => {
    assert.equal((await postForm(call, "/show", "a=1&b=2&c=3&d=4")).status, 413);
    assert.equal((await postForm(call, "/show", "a=1&b=2&c=3")).status, 200);
    assert.equal((await postMultipart(call, "/show", upload(100))).status, 200);
    assert.equal((await postMultipart(call, "/show", upload(101))).status, 413);
    const two = upload(1);
    two.append("file", new Blob(["x"]), "b.png");
    const response = await postMultipart(call, "/show", two);
    assert.deepEqual([response.status, await response.json()], [413, { error: "Payload Too Large" }]);
    const many = new FormData();
    for (const name of ["a", "b", "c", "d"]) many.append(name, "x");
    assert.equal((await postMultipart(call, "/show", many)).status, 413);
  },
  { limits: { formParts: 3, files: 1, fileSize: 100 } },
);

test("several files of one field are a list for a schema, beside texts of the same name", () => {
  const part = (name: string, file = "") =>
    `--x\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\nhi\r\n`;
  const body = `${part("one", '; filename="1"')}${part("two", '; filename="1"')}${part("two", '; filename="2"')}${part("two")}--x--\r\n`;
  const { one, two } = parseForm(new TextEncoder().encode(body), "multipart/form-data; boundary=x", limits).toInput();
  assert.equal((one as { name: string }).name, "1");
  assert.deepEqual(
    (two as unknown[]).map((item) => (typeof item === "string" ? item : typeof item)),
    ["hi", "object", "object"],
  );
});
