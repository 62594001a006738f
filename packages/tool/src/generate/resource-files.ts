import { type ModuleNames, toModuleNames, toPascal } from "../names.ts";
import { formatCode } from "../templates.ts";
import { addToModule, comparePaths } from "./edit-module.ts";
import {
  toColumn,
  toFormSample,
  toImports,
  toInput,
  toProperty,
  toReturned,
  toSample,
  toStored,
} from "./field-code.ts";
import { toControl, toDetails } from "./field-views.ts";
import { type Field, findLead, findRequired, targetsOf, toLabel } from "./fields.ts";

type Edit = (text: string) => string;

/**
 * Replaces the only field of the template, a required string `title`, by the fields of a resource. The names of the
 * template are still in the texts.
 */
export function toFieldEdits(fields: readonly Field[]): (path: string, text: string) => string {
  const edits: readonly (readonly [ending: string, edit: Edit])[] = [
    [".tables.ts", (text) => editTables(text, fields)],
    [".record.ts", (text) => editRecord(text, fields)],
    [".dto.ts", (text) => editDto(text, fields)],
    [".service.ts", (text) => editService(text, fields)],
    [".module.ts", (text) => editModule(text, fields)],
    [".commands.test.ts", (text) => editCommandsTest(text, fields)],
    [".pages.test.ts", (text) => editPagesTest(text, fields)],
    [".test.ts", (text) => editRoutesTest(text, fields)],
    ["form.eta", (text) => swap(text, /<label for="title">[\s\S]*<input[^\n]*\n/, fields.map(toControl).join(""))],
    [".eta", (text) => editHeadings(text, fields)],
  ];
  return (path, text) => edits.find(([ending]) => path.endsWith(ending))?.[1](text) ?? text;
}

/** Replaces with a function, because a text may contain `$&`. */
function swap(text: string, pattern: RegExp | string, replacement: string): string {
  return text.replaceAll(typeof pattern === "string" ? pattern : new RegExp(pattern, "g"), () => replacement);
}

const toClass = (plural: string) => toPascal(toModuleNames(plural).singular);
const toTable = (plural: string) => plural.replaceAll("-", "_");

function editTables(text: string, fields: readonly Field[]): string {
  const indexes = fields
    .filter(({ target }) => target !== undefined)
    .map(({ name }, index) =>
      [
        "  {\n",
        `    name: "sample-items-${String(index + 2).padStart(3, "0")}",\n`,
        `    up: (db) => db.schema.createIndex("sample_items_${name}").on("sample_items").column("${name}").execute(),\n`,
        `    down: (db) => db.schema.dropIndex("sample_items_${name}").execute(),\n`,
        "  },\n",
      ].join(""),
    );
  const targets = targetsOf(fields).sort(comparePaths);
  const imports = targets.map(
    (plural) => `import type { ${toClass(plural)} } from "../${plural}/${plural}.record.ts";\n`,
  );
  const tables = targets.map((plural) => `  ${toTable(plural)}: ${toClass(plural)};\n`);
  const columns = fields.map(toColumn).join("");
  return [
    ['        .addColumn("title", "text", (column) => column.notNull())\n', columns],
    ["];\n", `${indexes.join("")}];\n`],
    ["import type { SampleItem }", `${imports.join("")}import type { SampleItem }`],
    ["  sample_items: SampleItem;\n", `  sample_items: SampleItem;\n${tables.join("")}`],
  ].reduce((edited, [pattern = "", replacement = ""]) => swap(edited, pattern, replacement), text);
}

function editRecord(text: string, fields: readonly Field[]): string {
  const properties = swap(text, "  readonly title: string;\n", fields.map(toProperty).join(""));
  const declared = swap(properties, '  title: string("required"),\n', fields.map(toReturned).join(""));
  return swap(declared, "dto, string, timestamp", toImports(fields, ["dto", "string", "timestamp"]));
}

function editDto(text: string, fields: readonly Field[]): string {
  const declared = swap(text, '  title: string("required", "max=200"),\n', fields.map(toInput).join(""));
  return swap(declared, "dto, type Infer, integer, string", toImports(fields, ["dto", "type Infer", "integer"]));
}

function editService(text: string, fields: readonly Field[]): string {
  const stored = fields.flatMap((field) => toStored(field) ?? []);
  const refs = fields.filter(({ target }) => target !== undefined);
  let edited = text;
  if (stored.length > 0) {
    edited = swap(edited, "...input,", "...toColumns(input),");
    edited += `\n/** An absent value is stored as null, and a time as text. */\nfunction toColumns(input: CreateSampleItemDTO) {\n  return { ...input, ${stored.join(", ")} };\n}\n`;
  }
  if (refs.length === 0) return edited;
  edited = swap(edited, "import { inject }", "import { BindError, inject }");
  edited = edited.replace(/ {2}async create\(.*\n/, (line) => `${line}    await this.#checkReferences(input);\n`);
  edited = edited.replace(
    / {2}(update\(.*\n)/,
    (_, line) => `  async ${line}    await this.#checkReferences(input);\n`,
  );
  return edited.replace(
    /(\n {4}return \(await query\.returning.*\n {2}\}\n)/,
    (method) => `${method}\n${toReferenceCheck(refs)}`,
  );
}

/** A foreign key would only report that it was violated. */
function toReferenceCheck(refs: readonly Field[]): string {
  const checks = refs.map(({ name, target = "", isOptional }) => {
    const query = `this.#db.selectFrom("${toTable(target)}").select("id").where("id", "=", input.${name}).executeTakeFirst()`;
    const variable = toCamelCase(name.replace(/_id$/, ""));
    const issue = `{ path: "${name}", rule: "exists", message: "does not exist" }`;
    const check = (indent: string) =>
      `${indent}const ${variable} = await ${query};\n${indent}if (${variable} === undefined) throw new BindError([${issue}]);\n`;
    if (!isOptional) return check("    ");
    return `    if (input.${name} !== undefined && input.${name} !== null) {\n${check("      ")}    }\n`;
  });
  return `  /** Rejects the id of a row that does not exist. */\n  async #checkReferences(input: CreateSampleItemDTO): Promise<void> {\n${checks.join("")}  }\n`;
}

function toCamelCase(name: string): string {
  const camel = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return camel === "input" ? "inputRow" : camel;
}

/** The modules that create the tables of the references start first. */
function editModule(text: string, fields: readonly Field[]): string {
  return targetsOf(fields).reduce((edited, plural) => {
    const added = { name: `${toPascal(plural)}Module`, path: `../${plural}/${plural}.module.ts` };
    return addToModule(edited, "imports", added) ?? edited;
  }, text);
}

function editTest(text: string, fields: readonly Field[], toValues: typeof toSample): string {
  const required = findRequired(fields);
  let edited = swap(text, '{ title: "First" }', toValues(fields, 0));
  edited = swap(edited, '{ title: "Second" }', toValues(fields, 1));
  if (required === undefined) return swap(edited, /test\("[^"]*without a title[\s\S]*?\n\}\);\n\n/, "");
  edited = swap(edited, "without a title", `without ${withArticle(toLabel(required).toLowerCase())}`);
  return swap(edited, 'path: "title"', `path: "${required.name}"`);
}

function withArticle(words: string): string {
  return `${/^[aeiou]/.test(words) ? "an" : "a"} ${words}`;
}

/** The tables that a resource refers to are those of other modules: a row in a table of the same name stands in for them. */
function addReferences(text: string, fields: readonly Field[]): string {
  if (targetsOf(fields).length === 0) return text;
  const statement = 'import { SampleItemsReferences } from "./support/sample-items.references.ts";\n';
  const withImport = text.replace(/(import [^\n]*sample-items\.service\.ts";\n)/, (line) => `${line}${statement}`);
  return withImport.replace("declarations: [", "declarations: [SampleItemsReferences, ");
}

function editRoutesTest(text: string, fields: readonly Field[]): string {
  const checks = fields.filter(({ target }) => target !== undefined).map(toReferenceTest);
  return addReferences(`${editTest(text, fields, toSample)}${checks.join("")}`, fields);
}

function toReferenceTest(field: Field): string {
  return `
test("POST /sample-items responds with 400 for ${withArticle(toLabel(field).toLowerCase())} that does not exist", async () => {
  const json = { ...first, ${field.name}: "unknown" };
  assert.equal((await app.request("POST", "/sample-items", { json })).status, 400);
});
`;
}

function editCommandsTest(text: string, fields: readonly Field[]): string {
  const flag = findRequired(fields)?.name.replaceAll("_", "-") ?? "title";
  return addReferences(swap(editTest(text, fields, toSample), "--title is", `--${flag} is`), fields);
}

function editPagesTest(text: string, fields: readonly Field[]): string {
  const lead = findLead(fields);
  const short = fields.find(({ type }) => type === "string");
  let edited = editTest(text, fields, toFormSample);
  if (short === undefined) edited = swap(edited, /test\("redirects back to the form when[\s\S]*?\n\}\);\n\n/, "");
  else {
    edited = swap(edited, "the title is too long", `the ${toLabel(short).toLowerCase()} is too long`);
    edited = swap(edited, "title: long", `${short.name}: long`);
    edited = swap(edited, "/The title must have", `/The ${toLabel(short).toLowerCase()} must have`);
  }
  if (lead === undefined) {
    edited = swap(edited, /\n[^\n]*(?:<h1>|value="First")[^\n]*/, "");
    edited = swap(edited, '{ ...first, title: "First <b>" }', "first");
  } else {
    edited = swap(edited, 'title: "First <b>"', `${lead.name}: "First <b>"`);
    if (lead.type === "text") edited = swap(edited, '/value="First"/', "/>First<\\/textarea>/");
  }
  return addReferences(edited, fields);
}

function editHeadings(text: string, fields: readonly Field[]): string {
  const lead = findLead(fields);
  const name = lead?.name ?? "id";
  let edited = swap(text, "data.title", `data.${name}`);
  edited = swap(edited, "{ id, title }", lead === undefined ? "{ id }" : `{ id, ${name} }`);
  edited = swap(edited, "<%= title %>", `<%= ${name} %>`);
  return edited.replace('<p class="soft">', () => `${toDetails(fields, lead)}<p class="soft">`);
}

/** A file for the tests of a resource that refers to others; none for one that does not. */
export async function toReferencesFile(names: ModuleNames, fields: readonly Field[]): Promise<[string, string][]> {
  const tables = targetsOf(fields).map((target) => `"${toTable(target)}"`);
  if (tables.length === 0) return [];
  const text = `import { inject } from "@tenon/core";
import { Database, type Migration, migrate } from "@tenon/data";

/** Tables with one row, "sample", in the place of those of other modules. */
export class ${toPascal(names.plural)}References {
  readonly #db = inject(Database);

  async onStart(): Promise<void> {
    await migrate(this.#db, [${tables.join(", ")}].map(toMigration));
  }
}

function toMigration(table: string): Migration {
  return {
    name: \`test-\${table}\`,
    up: async (db) => {
      const created = db.schema.createTable(table).addColumn("id", "text", (column) => column.primaryKey());
      await created.execute();
      await db.insertInto(table).values({ id: "sample" }).execute();
    },
  };
}
`;
  return [[`test/support/${names.plural}.references.ts`, await formatCode(text)]];
}
