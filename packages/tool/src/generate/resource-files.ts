import { toPascal } from "../names.ts";
import { addToModule } from "./edit-module.ts";
import { toColumn, toImports, toInput, toProperty, toReturned, toStored } from "./field-code.ts";
import { toControl, toDetails } from "./field-views.ts";
import { type Field, findLead, targetsOf } from "./fields.ts";
import { addPageQueries, toNamedReferences, toReferenceCheck, usePageQueries } from "./reference-code.ts";
import { editCommandsTest, editPagesTest, editRoutesTest } from "./resource-tests.ts";
import { swap } from "./swap.ts";
import type { Target } from "./targets.ts";

type Edit = (text: string) => string;

export interface FieldEdits {
  readonly fields: readonly Field[];
  /** The resources that fields refer to. */
  readonly targets: ReadonlyMap<string, Target>;
  readonly hasPages: boolean;
  /** The field that is not an input, because it is set to the user. */
  readonly owner?: Field | undefined;
}

/**
 * Replaces the only field of the template, a required string `title`, by the fields of a resource. The names of the
 * template are still in the texts.
 */
export function toFieldEdits({ fields, targets, hasPages, owner }: FieldEdits): (path: string, text: string) => string {
  const inputs = fields.filter((field) => field !== owner);
  const references = hasPages ? toNamedReferences(fields, targets) : [];
  // a form that offers all users would publish their email addresses
  const offered = new Map([...targets].filter(([plural]) => owner === undefined || plural !== "users"));
  const choices = hasPages ? toNamedReferences(inputs, offered) : [];
  const controls = inputs.map((field) => toControl(field, offered.get(field.target ?? ""))).join("");
  const hasReferences = targets.size > 0;
  const edits: readonly (readonly [ending: string, edit: Edit])[] = [
    [".migrations.ts", (text) => editMigrations(text, fields)],
    [".record.ts", (text) => editRecord(text, fields)],
    [".dto.ts", (text) => editDto(text, inputs)],
    [".service.ts", (text) => addPageQueries(editService(text, inputs), references, choices)],
    ["-items.module.ts", (text) => editModule(text, fields)],
    [".pages.ts", (text) => usePageQueries(text, references, choices)],
    [".commands.test.ts", (text) => editCommandsTest(text, inputs, hasReferences)],
    [".pages.test.ts", (text) => editPagesTest(text, inputs, hasReferences)],
    [".test.ts", (text) => editRoutesTest(text, inputs, hasReferences)],
    ["form.eta", (text) => swap(text, /<label for="title">[\s\S]*<input[^\n]*\n/, controls)],
    [".eta", (text) => editHeadings(text, fields, targets)],
  ];
  return (path, text) => edits.find(([ending]) => path.endsWith(ending))?.[1](text) ?? text;
}

function editMigrations(text: string, fields: readonly Field[]): string {
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
  const title = '        .addColumn("title", "text", (column) => column.notNull())\n';
  return swap(swap(text, title, fields.map(toColumn).join("")), "];\n", `${indexes.join("")}];\n`);
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

/** The modules that create the tables of the references start first. */
function editModule(text: string, fields: readonly Field[]): string {
  return targetsOf(fields).reduce((edited, plural) => {
    const added = { name: `${toPascal(plural)}Module`, path: `../${plural}/${plural}.module.ts` };
    return addToModule(edited, "imports", added) ?? edited;
  }, text);
}

function editHeadings(text: string, fields: readonly Field[], targets: ReadonlyMap<string, Target>): string {
  const lead = findLead(fields);
  const name = lead?.name ?? "id";
  let edited = swap(text, "data.title", `data.${name}`);
  edited = swap(edited, "{ id, title }", lead === undefined ? "{ id }" : `{ id, ${name} }`);
  edited = swap(edited, "<%= title %>", `<%= ${name} %>`);
  return edited.replace('<p class="soft">', () => `${toDetails(fields, lead, targets)}<p class="soft">`);
}
