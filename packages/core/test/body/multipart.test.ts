import assert from "node:assert/strict";
import { test } from "node:test";
import { BindError } from "@tenon/core";
import { type FormLimits, parseForm } from "../../src/body/form.ts";

const limits: FormLimits = { formParts: 1000, files: 20, fileSize: 1024 * 1024 };
const typeOf = (boundary: string) => `multipart/form-data; boundary="${boundary}"`;

function parse(body: string | Uint8Array, boundary = "b", changed: Partial<FormLimits> = {}) {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return parseForm(bytes, typeOf(boundary), { ...limits, ...changed });
}

/** One part with these headers, between delimiters. */
const part = (headers: string, content = "x") => `--b\r\n${headers}\r\n\r\n${content}\r\n--b--\r\n`;
const field = (parameters: string, content = "x") => part(`Content-Disposition: form-data; ${parameters}`, content);
const nameOf = (parameters: string) => [...parse(field(parameters)).names()][0];
const fileNameOf = (parameters: string) => parse(field(`name=f; ${parameters}`)).files[0]?.name;

function issueOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof BindError, String(error));
    assert.equal(error.status, 400);
    assert.equal(error.issues.length, 1);
    const [issue] = error.issues;
    assert.deepEqual([issue?.path, issue?.rule], ["", "form"]);
    return issue?.message ?? "";
  }
  return "was not refused";
}

test("a browser's form is read: fields, files, and an empty file input", () => {
  const boundary = "----WebKitFormBoundaryuP1qhZ3yJ2aVbT9k";
  const body = [
    `--${boundary}`,
    'Content-Disposition: form-data; name="title"',
    "",
    "Zwölf 🙂",
    `--${boundary}`,
    'Content-Disposition: form-data; name="text"',
    "",
    "two\r\nlines\r\n",
    `--${boundary}`,
    'Content-Disposition: form-data; name="photo"; filename="naïve.png"',
    "Content-Type: image/png",
    "",
    "\r\n--not the boundary\r\n",
    `--${boundary}`,
    'Content-Disposition: form-data; name="other"; filename=""',
    "Content-Type: application/octet-stream",
    "",
    "",
    `--${boundary}`,
    'Content-Disposition: form-data; name="title"',
    "",
    "",
    `--${boundary}--`,
    "",
  ].join("\r\n");
  const form = parse(body, boundary);
  assert.deepEqual(Object.entries(form.toRecord()), [
    ["title", ["Zwölf 🙂", ""]],
    ["text", "two\r\nlines\r\n"],
  ]);
  assert.deepEqual(form.files, [
    {
      field: "photo",
      name: "naïve.png",
      type: "image/png",
      bytes: new TextEncoder().encode("\r\n--not the boundary\r\n"),
    },
  ]);
  assert.deepEqual([form.file("photo"), form.file("other")], [form.files[0], undefined]);
});

test("a file has any bytes, and the text of a field is UTF-8", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
  const wrap = (disposition: string) =>
    new Uint8Array([
      ...new TextEncoder().encode(`--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`),
      ...bytes,
      ...new TextEncoder().encode("\r\n--b--"),
    ]);
  const file = parse(wrap("name=f; filename=x")).file("f");
  assert.deepEqual(file?.bytes, bytes);
  assert.equal(Buffer.isBuffer(parse(Buffer.from(wrap("name=f; filename=x"))).file("f")?.bytes), false);
  assert.equal(
    issueOf(() => parse(wrap("name=f"))),
    "is not UTF-8",
  );
  assert.equal(parse(field("name=a", "\ufeffx")).get("a"), "\ufeffx");
});

test("a body inside a larger buffer is read from its offset", () => {
  const text = field("name=f; filename=x", "inside");
  const pool = Buffer.from(`${"--b--".repeat(3)}${text}--b\r\n`);
  const body = pool.subarray(15, 15 + text.length);
  assert.equal(Buffer.from(parse(body).files[0]?.bytes ?? []).toString(), "inside");
});

test("names are tokens or quoted, and escaped as browsers or other clients do", () => {
  const names: [string, string][] = [
    ["name=plain", "plain"],
    ['name="a b;c=d"', "a b;c=d"],
    ['name=""', ""],
    ['name="a%22b%0D%0Ac"', 'a"b\r\nc'],
    ['name="a\\"b\\\\c"', 'a"b\\c'],
    ['name="a%41%2f"', "a%41%2f"],
    ['NAME="x"', "x"],
    ['\tname="x" ; ', "x"],
    ['other=1;name="x"', "x"],
    ['name="__proto__"', "__proto__"],
    ['name="ü🙂"', "ü🙂"],
  ];
  for (const [parameters, name] of names) assert.equal(nameOf(parameters), name, parameters);
});

test("__proto__ as the name of a field or file changes no prototype (B7)", () => {
  const form = parse(
    `--b\r\nContent-Disposition: form-data; name=__proto__\r\n\r\npolluted\r\n${field("name=__proto__; filename=__proto__")}`,
  );
  assert.deepEqual(Object.entries(form.toRecord()), [["__proto__", "polluted"]]);
  assert.equal(form.file("__proto__")?.name, "__proto__");
  assert.equal("polluted" in {}, false);
});

test("a file name is reduced to its last segment, without control characters (B10)", () => {
  const names: [string, string][] = [
    ['filename="a.txt"', "a.txt"],
    ['filename="../../etc/passwd"', "passwd"],
    ['filename="/etc/passwd"', "passwd"],
    ['filename="C:\\Users\\me\\notes.txt"', "notes.txt"],
    ['filename="..\\\\..\\\\boot.ini"', "boot.ini"],
    ['filename="a/"', ""],
    ['filename=".."', ""],
    ['filename="a/."', ""],
    ['filename="...."', "...."],
    ['filename="a%0D%0ASet-Cookie: x.txt"', "aSet-Cookie: x.txt"],
    ['filename="a\x1b[31m\x7f\x85.txt"', "a[31m.txt"],
    ['filename="x%22.txt"', 'x".txt'],
    ["filename=\"a.txt\"; filename*=UTF-8''b.exe", "a.txt"],
    ["filename*=utf-8'en'na%C3%AFve.txt", "naïve.txt"],
    ["filename*=UTF-8''..%2F..%2Fetc%2Fpasswd%00", "passwd"],
  ];
  for (const [parameters, name] of names) assert.equal(fileNameOf(parameters), name, parameters);
  for (const parameters of [
    "filename*=latin1''a.txt",
    "filename*=a.txt",
    "filename*=UTF-8''%ff",
    "filename*=UTF-8''%",
  ]) {
    assert.equal(
      issueOf(() => fileNameOf(parameters)),
      "has a file name that cannot be read",
      parameters,
    );
  }
});

test("a file has the content type of its part when that is valid", () => {
  const typeIn = (headers: string) =>
    parse(part(`Content-Disposition: form-data; name=f; filename=x${headers}`)).files[0]?.type;
  assert.equal(typeIn("\r\ncontent-TYPE:  text/plain; charset=utf-8 "), "text/plain; charset=utf-8");
  for (const headers of ["", "\r\nContent-Type: x", "\r\nContent-Type: a/b\x01", "\r\nContent-Type: té/xt"]) {
    assert.equal(typeIn(headers), "application/octet-stream", headers);
  }
});

test("delimiters are those of RFC 2046: padded, with a preamble and an epilogue, and none without parts", () => {
  const head = "Content-Disposition: form-data; name=a";
  const read = (body: string) => Object.entries(parse(body).toRecord());
  assert.deepEqual(read("--b--"), []);
  assert.deepEqual(read("--b--\r\n"), []);
  assert.deepEqual(read("\r\n--b--"), []);
  assert.deepEqual(read(`preamble --b\r\n--b \t\r\n${head}\r\n\r\n1\r\n--b-- \t\r\nepilogue\r\n--b\r\n`), [["a", "1"]]);
  assert.deepEqual(read(`--b\r\n${head}\r\n\r\n\r\n--b--`), [["a", ""]], "an empty field");
  assert.deepEqual(read(`--b\r\n${head}\r\n\r\n--b--`), [["a", ""]], "a part that ends with its headers");
  assert.deepEqual(read(`--b\r\n${head}\r\n\r\n--\r\n--\r\nb\n--b\r--b\r\n--b--`), [["a", "--\r\n--\r\nb\n--b\r--b"]]);
  assert.deepEqual(Object.entries(parse(`--a:b\r\n${head}\r\n\r\n1\r\n--a:b--`, "a:b").toRecord()), [["a", "1"]]);
});

const head = "Content-Disposition: form-data; name=a";
const malformed: [string, string][] = [
  ["", "has no part"],
  ["a=1&b=2", "has no part"],
  ["--c\r\n", "has no part"],
  ["x--b--", "has no part"],
  ["\n--b--", "has no part"],
  ["--b", "has a delimiter that goes on"],
  ["--b-", "has a delimiter that goes on"],
  ["--b\n", "has a delimiter that goes on"],
  ["--b\r", "has a delimiter that goes on"],
  ["--bx\r\n", "has a delimiter that goes on"],
  ["--b--x", "has a delimiter that goes on"],
  [`--b\r\n${head}\r\n\r\nx\r\n--bc\r\n`, "has a delimiter that goes on"],
  ["--b\r\n", "has no end"],
  [`--b\r\n${head}\r\n\r\nx`, "has no end"],
  [`--b\r\n${head}\r\n\r\nx\n--b--`, "has no end"],
  [`--b\r\n${head}\r\n\r\nx--b--`, "has no end"],
  [`--b\r\n${head}\r\n--b--`, "has a part without an end of its headers, or with too many of them"],
  ["--b\r\n\r\n--b--", "has a part without an end of its headers, or with too many of them"],
  [part(`${head}\r\nx: ${"y".repeat(9000)}`), "has a part without an end of its headers, or with too many of them"],
  ["--b\r\n\r\nx\r\n\r\n--b--", "has a part with a malformed header"],
  [part(`${head}\r\nno colon`), "has a part with a malformed header"],
  [part(`${head}\r\n folded: x`), "has a part with a malformed header"],
  [part(`${head}\r\nx : y`), "has a part with a malformed header"],
  [part(`${head}\r\nx: \0`), "has a part with a malformed header"],
  [part(`${head}\nx: y`), "has a part with a malformed header"],
  [part(`${head}\r\n${head}`), "has a part with a repeated header"],
  [part("Content-Type: text/plain"), "has a part without a name"],
  [part("Content-Disposition: attachment; name=a"), "has a part without a name"],
  [part("Content-Disposition: form-data"), "has a part without a name"],
  [part(`${head}\r\nContent-Transfer-Encoding: base64`), "has a part with a transfer encoding"],
  ...[
    "filename=x",
    "name",
    "name=",
    'name="x',
    'name="x\\"',
    'name="x"y',
    "name=a b",
    "name=ü",
    "name=a; name=b",
    'name="a"; NAME="b"',
    "=x; name=a",
    "name=a; =",
    "name=a, name=b",
  ].map((parameters): [string, string] => [field(parameters), "has a part without a name"]),
];

test("a malformed body is refused with a reason that quotes nothing", () => {
  for (const [body, message] of malformed) {
    assert.equal(
      issueOf(() => parse(body)),
      message,
      JSON.stringify(body.slice(0, 100)),
    );
  }
  assert.equal(Object.keys(parse(part(`${head}\r\nContent-Transfer-Encoding: 8BIT`)).toRecord()).length, 1);
});

test("a boundary is up to 70 characters of RFC 2046, named once", () => {
  const body = (boundary: string) => new TextEncoder().encode(`--${boundary}\r\n${head}\r\n\r\n1\r\n--${boundary}--`);
  const read = (type: string, boundary: string) => parseForm(body(boundary), type, limits).get("a");
  const longest = "x".repeat(70);
  const all = "0aZ'()+_,-./:=? z";
  assert.equal(read(`multipart/form-data; boundary=${longest}`, longest), "1");
  assert.equal(read(`multipart/form-data; charset=utf-8; BOUNDARY="${all}"`, all), "1");
  for (const [parameters, boundary] of [
    ["", "b"],
    ["; boundary=", "b"],
    ['; boundary=""', ""],
    [`; boundary=${longest}x`, `${longest}x`],
    ['; boundary="b "', "b "],
    ['; boundary="b\\"', "b"],
    ["; boundary=b; boundary=b", "b"],
    ["; boundary=b@", "b@"],
    ['; boundary="b\r\n"', "b\r\n"],
  ] as const) {
    assert.equal(
      issueOf(() => read(`multipart/form-data${parameters}`, boundary)),
      "has no boundary",
      parameters,
    );
  }
});

const tooLarge = { name: "HttpError", status: 413, message: "Payload Too Large" };

test("parts, files and the bytes of a file are counted, and one more is 413", () => {
  const parts = (count: number, parameters: string) =>
    `${`--b\r\nContent-Disposition: form-data; ${parameters}\r\n\r\nxyz\r\n`.repeat(count)}--b--`;
  assert.equal(parse(parts(3, "name=a"), "b", { formParts: 3 }).all("a").length, 3);
  assert.throws(() => parse(parts(4, "name=a"), "b", { formParts: 3 }), tooLarge);
  const file = "name=a; filename=x";
  assert.equal(parse(parts(3, file), "b", { files: 3, fileSize: 3 }).files.length, 3);
  assert.throws(() => parse(parts(4, file), "b", { files: 3 }), tooLarge);
  assert.throws(() => parse(parts(4, file), "b", { formParts: 3 }), tooLarge);
  assert.throws(() => parse(parts(1, file), "b", { fileSize: 2 }), tooLarge);
  const notChosen = '--b\r\nContent-Disposition: form-data; name=f; filename=""\r\n\r\n\r\n';
  assert.equal(parse(`${notChosen.repeat(5)}--b--`, "b", { files: 1 }).files.length, 0, "no part has a file");
  assert.throws(() => parse(`${notChosen.repeat(5)}--b--`, "b", { formParts: 4 }), tooLarge);
});

test("a megabyte of hostile input is read or refused in one pass", () => {
  const size = 1024 * 1024;
  const fill = (text: string) => text.repeat(Math.ceil(size / text.length));
  const delimited = (text: string) => `--b\r\n${head}\r\n\r\nx${text}\r\n--b--`;
  for (const text of ["-", "\r\n", "\r\n-", "\r\n--", "\r", "\n--b", "\r\r\n", "--b", " ", "\t"].map(fill)) {
    assert.equal(parse(delimited(text)).get("a"), `x${text}`);
    issueOf(() => parse(text));
    issueOf(() => parse(`--b${text}`));
    issueOf(() => parse(`--b\r\n${text}`));
    issueOf(() => parse(`--b\r\n${head}\r\n${text}`));
  }
  const boundary = "-".repeat(70);
  const nearly = fill(`\r\n--${"-".repeat(69)}`);
  assert.equal(parse(`--${boundary}\r\n${head}\r\n\r\n${nearly}\r\n--${boundary}--`, boundary).get("a"), nearly);
  for (const text of ["\r\n--b\r\n", "\r\n--b\r\n\r\n", `--b\r\n${head}\r\n`].map(fill)) issueOf(() => parse(text));
  assert.throws(() => parse(fill(`--b\r\n${head}\r\n\r\n\r\n`)), tooLarge);
  for (const text of [";", '"', "\\", ";a", "=", ";a=", "%22", " ", "'", "a;", "\\\\"]) {
    const long = text.repeat(Math.floor(8000 / text.length));
    issueOf(() => parse(`${`--b\r\n${head};${long}\r\n\r\n\r\n`.repeat(100)}`));
    issueOf(() => parse(`${`--b\r\n${head};f="${long}\r\n\r\n\r\n`.repeat(100)}`));
  }
});
