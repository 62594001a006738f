import assert from "node:assert/strict";
import { test } from "node:test";
import { BindError } from "@tenon/core";
import fc from "fast-check";
import { type FormLimits, parseForm } from "../../src/body/form.ts";
import { seeded } from "../support/seed.ts";

const limits: FormLimits = { formParts: 1000, files: 20, fileSize: 1024 * 1024 };
const parse = (body: Uint8Array, boundary: string) =>
  parseForm(body, `multipart/form-data; boundary="${boundary}"`, limits);

interface Entry {
  readonly name: string;
  readonly fileName: string | undefined;
  readonly type: string;
  readonly content: Uint8Array;
}

const quote = (text: string) =>
  `"${text.replaceAll(/["\\]/g, "\\$&").replaceAll("\r", "%0D").replaceAll("\n", "%0A")}"`;

function encode(entries: readonly Entry[], boundary: string): Uint8Array<ArrayBuffer> {
  const chunks = entries.flatMap(({ name, fileName, type, content }) => {
    const file = fileName === undefined ? "" : `; filename=${quote(fileName)}\r\nContent-Type: ${type}`;
    const headers = `--${boundary}\r\nContent-Disposition: form-data; name=${quote(name)}${file}\r\n\r\n`;
    return [Buffer.from(headers), content, Buffer.from("\r\n")];
  });
  return new Uint8Array(Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]));
}

const boundaryText = fc
  .array(fc.constantFrom(..."ab-'()+_,./:=?"), { minLength: 1, maxLength: 70 })
  .map((letters) => letters.join(""));
/** Text that a header can carry and that does not look escaped. */
const headerText = fc
  .string({ unit: "binary", maxLength: 20 })
  .filter((text) => !text.includes("\0") && !/%(?:22|0d|0a)/i.test(text));
const fileName = headerText.filter((text) => !/[/\\\p{Cc}]/u.test(text) && !["", ".", ".."].includes(text));

/** Entries whose contents often contain most of the delimiter. */
const someForm = boundaryText.chain((boundary) => {
  const delimiter = `\r\n--${boundary}`;
  const piece = fc.oneof(
    fc.constantFrom(
      "\r",
      "\n",
      "\r\n",
      "-",
      "--",
      boundary,
      delimiter.slice(0, -1),
      `\n--${boundary}`,
      `--${boundary}`,
    ),
    fc.string({ unit: "binary", maxLength: 5 }),
  );
  const text = fc
    .array(piece, { maxLength: 6 })
    .map((pieces) => pieces.join(""))
    .filter((content) => !`\r\n${content}`.includes(delimiter));
  const bytes = fc.uint8Array({ maxLength: 40 }).filter((content) => {
    return !Buffer.concat([Buffer.from("\r\n"), content]).includes(delimiter);
  });
  const entry: fc.Arbitrary<Entry> = fc.oneof(
    fc.record({
      name: headerText,
      fileName: fc.constant(undefined),
      type: fc.constant("application/octet-stream"),
      content: text.map((content) => new TextEncoder().encode(content)),
    }),
    fc.record({
      name: headerText,
      fileName,
      type: fc.constantFrom("text/plain", "image/png", "application/x-y; a=b"),
      content: fc.oneof(
        text.map((content) => new TextEncoder().encode(content)),
        bytes.map((content) => new Uint8Array(content)),
      ),
    }),
  );
  return fc.record({ boundary: fc.constant(boundary), entries: fc.array(entry, { maxLength: 8 }) });
});

test("any encoded form is read back, field by field and byte by byte", () => {
  fc.assert(
    fc.property(someForm, ({ boundary, entries }) => {
      const form = parse(encode(entries, boundary), boundary);
      const fields = entries.filter((entry) => entry.fileName === undefined);
      const names = [...new Set(fields.map(({ name }) => name))];
      assert.deepEqual([...form.names()], names);
      for (const wanted of names) {
        const values = fields
          .filter(({ name }) => name === wanted)
          .map(({ content }) => Buffer.from(content).toString());
        assert.deepEqual(form.all(wanted), values);
      }
      const files = entries.filter((entry) => entry.fileName !== undefined);
      assert.deepEqual(
        form.files,
        files.map(({ name, fileName, type, content }) => ({ field: name, name: fileName, type, bytes: content })),
      );
    }),
    seeded("multipart forms", { fast: 1000, full: 50_000 }),
  );
});

test("any form that node's FormData encodes is read back", async () => {
  const text = fc.string({ unit: "grapheme", maxLength: 20 }).filter((value) => !/[\r\n\0]|%(?:22|0d|0a)/i.test(value));
  const plain = text.filter((value) => !value.endsWith("\\") && !value.includes("\\\\"));
  const entry = fc.record({ name: plain, value: text, file: fc.option(fileName.filter((n) => !n.includes("\r"))) });
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 6 }), async (entries) => {
      const data = new FormData();
      for (const { name, value, file } of entries) {
        if (file === null) data.append(name, value);
        else data.append(name, new Blob([value], { type: "text/plain" }), file);
      }
      const response = new Response(data);
      const form = parseForm(await response.bytes(), response.headers.get("content-type") ?? "", limits);
      const fields = [...data].filter((pair): pair is [string, string] => typeof pair[1] === "string");
      for (const [name] of fields)
        assert.deepEqual(
          form.all(name),
          data.getAll(name).filter((v) => typeof v === "string"),
        );
      assert.equal([...form.names()].length, new Set(fields.map(([name]) => name)).size);
      const files = entries.filter(({ file }) => file !== null);
      assert.deepEqual(
        form.files.map(({ field, name, bytes }) => [field, name, Buffer.from(bytes).toString()]),
        files.map(({ name, value, file }) => [name, file, value]),
      );
    }),
    seeded("multipart forms of FormData", { fast: 300, full: 10_000 }),
  );
});

test("a damaged form is read or refused with a BindError, never anything else", () => {
  const damage = fc.oneof(
    fc.record({ kind: fc.constant("cut" as const), at: fc.nat(), length: fc.nat(20) }),
    fc.record({ kind: fc.constant("end" as const), at: fc.nat() }),
    fc.record({ kind: fc.constant("write" as const), at: fc.nat(), bytes: fc.uint8Array({ maxLength: 4 }) }),
    fc.record({
      kind: fc.constant("insert" as const),
      at: fc.nat(),
      text: fc.constantFrom("\r\n", "\r", "\n", "--", '"', ";", "\\", ":", "\0", "\r\n\r\n", "%", "delimiter"),
    }),
  );
  const outcomes = { read: 0, refused: 0 };
  fc.assert(
    fc.property(someForm, fc.array(damage, { minLength: 1, maxLength: 4 }), ({ boundary, entries }, damages) => {
      let body = Buffer.from(encode(entries, boundary));
      for (const step of damages) {
        const at = step.at % (body.length + 1);
        if (step.kind === "end") body = body.subarray(0, at);
        else if (step.kind === "cut") body = Buffer.concat([body.subarray(0, at), body.subarray(at + step.length)]);
        else if (step.kind === "write") body.set(step.bytes.subarray(0, body.length - at), at);
        else {
          const text = step.text === "delimiter" ? `\r\n--${boundary}` : step.text;
          body = Buffer.concat([body.subarray(0, at), Buffer.from(text), body.subarray(at)]);
        }
      }
      try {
        const form = parse(body, boundary);
        for (const { name } of form.files) assert.equal(/[/\\\p{Cc}]/u.test(name), false);
        outcomes.read++;
      } catch (error) {
        assert.ok(error instanceof BindError, String(error));
        assert.match(error.issues[0]?.message ?? "", /^(has|is) [A-Za-z0-9 ,-]+$/);
        outcomes.refused++;
      }
    }),
    seeded("damaged multipart forms", { fast: 2000, full: 100_000 }),
  );
  assert.ok(outcomes.read > 50 && outcomes.refused > 50, JSON.stringify(outcomes));
});
