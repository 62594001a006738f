import assert from "node:assert/strict";
import { test } from "node:test";
import { BindError, HttpError } from "@tenon/core";
import { parseForm } from "../../src/body/form.ts";
import { defaultRequestLimits } from "../../src/body/limits.ts";
import { readStreamedForm, StreamedFile } from "../../src/body/streamed-file.ts";
import { type Incoming, RequestView } from "../../src/request/request.ts";

const contentType = "multipart/form-data; boundary=b";
const limits = { body: 100_000, formParts: 20 };
const field = { name: "file", max: 10_000_000 };
const title = '--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nHello\r\n';
const fileHead = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n';

async function* cut(body: string, size: number) {
  const bytes = Buffer.from(body, "latin1");
  for (let at = 0; at < bytes.length; at += size) yield new Uint8Array(bytes.subarray(at, at + size));
}

/** What a handler gets: fields, and the text of the file. */
async function read(body: string, size: number, changed: Partial<typeof limits> = {}) {
  const chunks = cut(body, size);
  const record = await readStreamedForm(chunks, contentType, field, { ...limits, ...changed });
  const { file, ...fields } = record;
  if (file === undefined) return fields;
  assert.ok(file instanceof StreamedFile);
  const parts: Uint8Array[] = [];
  for await (const chunk of file.stream) parts.push(chunk);
  return { ...fields, file: Buffer.concat(parts).toString("latin1"), name: file.name };
}

const long = "x".repeat(16_380);
/** A text that makes what has `length` bytes beside it as long as the bytes that are joined. */
const toFill = (length: number) => "x".repeat(16 * 1024 - length);
const bodies: Readonly<Record<string, string>> = {
  "a field and a file": `${title}${fileHead}content\r\n--b--\r\n`,
  "a field twice": `${title}${title}${fileHead}content\r\n--b--`,
  "text before and after": `preamble\r\n${title}${fileHead}content\r\n--b-- \t\r\nepilogue${long}${long}`,
  "an empty file": `${fileHead}\r\n--b--`,
  "a file that ends with its headers": `${title}${fileHead.slice(0, -2)}\r\n--b--`,
  "content that looks like delimiters": `${fileHead}\r\n--\r\n-b\r\n--a\r\n\r\n--b--`,
  "delimiters around the joined chunks": `${title}${fileHead}${long}\r\n--${long}\r\n-${long}${long}\r\n\r\n--b--\r\n`,
  "a fill that ends with a delimiter": `${title.replace("Hello", toFill(title.length - 2))}${fileHead}x\r\n--b--`,
  "a fill that ends with a head": `${title.replace("Hello", toFill(title.length - 5 + fileHead.length))}${fileHead}x\r\n--b--`,
  "no file": `${title}--b--\r\n`,
  "no file chosen": `${title}--b\r\nContent-Disposition: form-data; name="file"; filename=""\r\n\r\n\r\n--b--\r\n`,
};

for (const [name, body] of Object.entries(bodies)) {
  test(`a streamed form is read as one in memory, however it arrives: ${name}`, async () => {
    const form = parseForm(Buffer.from(body, "latin1"), contentType, { ...limits, files: 20, fileSize: 10_000_000 });
    const file = form.file("file");
    const expected = {
      ...form.toRecord(),
      ...(file === undefined ? {} : { file: Buffer.from(file.bytes).toString("latin1"), name: file.name }),
    };
    for (const size of [1, 3, 7, 64, 16_383, 1_000_000]) {
      if (body.length / size > 20_000) continue;
      assert.deepEqual({ ...(await read(body, size)) }, expected, `in chunks of ${size}`);
    }
  });
}

const refused: Readonly<Record<string, [body: string, status: number, message: RegExp]>> = {
  "no delimiter": ["nothing", 400, /has no part/],
  "no end": [`${fileHead}content`, 400, /has no end/],
  "a field without an end": [title, 400, /has no end/],
  "a delimiter that goes on": [`--bad\r\n${fileHead}`, 400, /has a delimiter that goes on/],
  "headers without an end": [fileHead.slice(0, -2), 400, /without an end of its headers/],
  "headers that a delimiter ends": [`${fileHead.slice(0, -4)}\r\n--b--\r\n\r\n`, 400, /without an end of its headers/],
  "too many headers": [`--b\r\nX: ${"x".repeat(9000)}\r\n\r\n`, 400, /or with too many of them/],
  "endless headers": [`--b\r\nX: ${"x".repeat(20_000)}`, 400, /or with too many of them/],
  "another file": [fileHead.replace('"file"', '"other"'), 400, /has a file that is not declared/],
  "a field after the file": [`${fileHead}content\r\n${title}--b--`, 400, /title must come before the streamed file/],
  "a long field": [`${title.replace("Hello", "x".repeat(101_000))}--b--`, 413, /limits.body/],
  "a long preamble": ["x".repeat(200_000), 413, /limits.body/],
  "too many fields": [`${title.repeat(21)}--b--`, 413, /limits.formParts/],
};

for (const [name, [body, status, message]] of Object.entries(refused)) {
  test(`a streamed form is refused: ${name}`, async () => {
    for (const size of [100, 1_000_000]) {
      await assert.rejects(read(body, size), (error) => {
        assert.ok(error instanceof HttpError);
        assert.equal(error.status, status);
        const issues = "issues" in error ? (error.issues as { path: string; message: string }[]) : [];
        const texts = issues.map((issue) => `${issue.path} ${issue.message}`);
        assert.match(`${texts.join()} ${error.cause instanceof Error ? error.cause.message : ""}`, message);
        return true;
      });
    }
  });
}

function view(incoming: Incoming) {
  const params = { toMap: () => ({}) };
  const tools = { limits: defaultRequestLimits };
  const readBody = () => incoming.readBody(limits.body, 1000);
  const request = { incoming, params, tools, bodyLimit: limits.body, body: undefined, readBody };
  return new RequestView(request).streamForm(field);
}

test("a body without a content type is not a form", async () => {
  const untyped = { header: () => undefined, readBody: async () => Buffer.from("") } as unknown as Incoming; // what it asks for
  await assert.rejects(view(untyped), BindError);
});

test("a body that is in memory already is streamed from there", async () => {
  const body = Buffer.from(`${fileHead}content\r\n--b--`);
  const inMemory = { header: () => contentType, readBody: async () => body } as unknown as Incoming; // what it asks for
  const streamed = { ...inMemory, streamBody: () => cut(body.toString("latin1"), 9) };
  for (const incoming of [inMemory, streamed]) {
    const { file } = await view(incoming);
    assert.ok(file instanceof StreamedFile);
    assert.equal(Buffer.concat(await Array.fromAsync(file.stream)).toString(), "content");
  }
});

test("a form of another type has no files to stream", async () => {
  const reading = readStreamedForm(cut("a=1", 1), "application/x-www-form-urlencoded", field, limits);
  await assert.rejects(reading, { name: "BindError" });
});
