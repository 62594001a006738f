import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { HttpError } from "@tenon/core";
import fc from "fast-check";
import { oneChecker, root, run, tool } from "../../../../test/support/run.ts";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { seeded } from "../../../core/test/support/seed.ts";
import { toClientFile } from "../../src/client/client-file.ts";
import { parseNodes } from "../../src/generate/edit/parse-nodes.ts";

const pieces = [
  ..."*/ /* // \n \r \u2028 \" ' ` } ${ { ; \\ \\u0022 < > ( ) [ ] . - / ~ % # : | & ? ! = @ , \0 \uD800 é 日 💥 1 a A _ $".split(
    " ",
  ),
  ..."__proto__ constructor prototype toString class string Promise Error ApiError Headers default 200 await".split(
    " ",
  ),
  " ",
];
const name = fc.array(fc.constantFrom(...pieces), { maxLength: 4 }).map((parts) => parts.join(""));
const { schema } = fc.letrec((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(true, false, {}, null, 1, "x", [], { $ref: "#/components/schemas/Known" }),
    fc.record({ type: fc.constantFrom("string", "number", "null", "array", "object", "odd"), description: name }),
    fc.record({ const: fc.jsonValue() }),
    fc.record({ enum: fc.array(fc.jsonValue(), { maxLength: 3 }) }),
    fc.record({ anyOf: fc.array(tie("schema"), { maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie("schema"), { maxLength: 3 }), type: fc.constant("object") }),
    fc.record({
      type: fc.constant("array"),
      items: tie("schema"),
      prefixItems: fc.array(tie("schema"), { maxLength: 2 }),
    }),
    fc.record({
      type: fc.constant("object"),
      description: name,
      deprecated: fc.boolean(),
      readOnly: fc.boolean(),
      required: fc.array(name, { maxLength: 2 }),
      properties: fc.dictionary(name, tie("schema"), { maxKeys: 3 }),
      additionalProperties: tie("schema"),
    }),
  ),
}));
const content = fc.dictionary(
  fc.oneof(name, fc.constantFrom("application/json", "multipart/form-data", "text/plain")),
  fc.record({ schema }),
  {
    maxKeys: 2,
  },
);
const operation = fc.record({
  operationId: name,
  summary: name,
  parameters: fc.array(
    fc.record({
      name,
      in: fc.constantFrom("path", "query", "header", "cookie"),
      schema,
      description: name,
      required: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  requestBody: fc.record({ content, required: fc.boolean() }),
  responses: fc.dictionary(fc.constantFrom("200", "404", "5XX", "default", "odd"), fc.record({ content }), {
    maxKeys: 3,
  }),
  security: fc.array(fc.dictionary(name, fc.constant([]), { maxKeys: 2 }), { maxLength: 2 }),
});
const document = fc.record({
  openapi: fc.constant("3.1.0"),
  info: fc.record({ title: name }),
  servers: fc.array(fc.record({ url: name }), { maxLength: 1 }),
  paths: fc.dictionary(name, fc.record({ get: operation, post: operation }, { requiredKeys: [] }), { maxKeys: 4 }),
  components: fc.record({
    schemas: fc.dictionary(name, schema, { maxKeys: 4 }).map((schemas) => ({ ...schemas, Known: { type: "object" } })),
    securitySchemes: fc.dictionary(name, fc.record({ type: fc.constantFrom("apiKey", "http"), name }), { maxKeys: 2 }),
  }),
});

/** What a generated file consists of; text that escapes from a comment or a string would be another statement. */
const statements = new Set([
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "ExportNamedDeclaration",
  "VariableDeclaration",
  "FunctionDeclaration",
  "ClassDeclaration",
]);

function generate(value: object): string | undefined {
  try {
    return toClientFile(JSON.parse(JSON.stringify(value)));
  } catch (error) {
    assert.ok(error instanceof HttpError, String(error)); // names that exclude each other
    return undefined;
  }
}

test("no document gives a file that does not parse, or a statement of its own", () => {
  fc.assert(
    fc.property(document, (value) => {
      const file = generate(value);
      if (file === undefined) return;
      const [root] = parseNodes(file) ?? [];
      assert.ok(root?.type === "File", "a syntax error");
      const own = root.program.body.filter(({ type }) => !statements.has(type));
      assert.deepEqual(own, []);
      const constants = root.program.body.filter(({ type }) => type === "VariableDeclaration");
      assert.equal(constants.length, 3, "operations, schemes and ranks");
    }),
    seeded("hostile documents", { fast: 300, full: 5000 }),
  );
});

test("the files of hostile documents compile", async () => {
  const { seed, numRuns } = seeded("compiled documents", { fast: 40, full: 400 });
  const files = fc.sample(document, { seed, numRuns }).flatMap((value) => generate(value) ?? []);
  assert.ok(files.length > numRuns / 4, `${files.length} files`);
  const folder = temporaryFolder("hostile");
  writeFiles(folder, {
    ...Object.fromEntries(files.map((file, index) => [`client-${index}.ts`, file])),
    "package.json": '{ "type": "module" }',
    "tsconfig.json": JSON.stringify({
      extends: join(root, "tsconfig.base.json"),
      compilerOptions: { noEmit: true, typeRoots: [join(root, "node_modules/@types")] },
      include: ["*.ts"],
    }),
  });
  const { code, stdout } = await run(tool("tsc"), ["-p", ".", "--pretty", "false", ...oneChecker], { cwd: folder });
  assert.equal(code, 0, stdout.slice(0, 4000));
});
