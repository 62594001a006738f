import type { Field } from "./fields.ts";
import type { Target } from "./targets.ts";

/** A ref whose rows have names. The names of the template are in the texts. */
export interface NamedReference {
  readonly field: Field;
  readonly target: Target & { readonly label: string };
}

export function toNamedReferences(
  fields: readonly Field[],
  targets: ReadonlyMap<string, Target>,
): readonly NamedReference[] {
  return fields.flatMap((field) => {
    const target = targets.get(field.target ?? "");
    return target?.label === undefined ? [] : [{ field, target: { ...target, label: target.label } }];
  });
}

/** `authorName` for `author_id`. In camel case, unlike the name of any column. */
export function toNameAlias({ name }: Field): string {
  return `${toCamelCase(name.replace(/_id$/, ""))}Name`;
}

/** A foreign key would only report that it was violated. */
export function toReferenceCheck(refs: readonly Field[]): string {
  const checks = refs.map(({ name, target = "", isOptional }) => {
    const query = `this.#db.selectFrom("${target.replaceAll("-", "_")}").select("id").where("id", "=", input.${name}).executeTakeFirst()`;
    const variable = toCamelCase(name.replace(/_id$/, ""));
    const issue = `{ path: "${name}", rule: "exists", message: "does not exist" }`;
    const check = (indent: string) =>
      `${indent}const ${variable} = await ${query};\n${indent}if (${variable} === undefined) throw new BindError([${issue}]);\n`;
    if (!isOptional) return check("    ");
    return `    if (input.${name}) {\n${check("      ")}    }\n`; // a form sends "" for no row
  });
  return `  /** Rejects the id of a row that does not exist. */\n  async #checkReferences(input: CreateSampleItemDTO): Promise<void> {\n${checks.join("")}  }\n`;
}

function toCamelCase(name: string): string {
  const camel = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return camel === "input" ? "inputRow" : camel;
}

/** The queries of a service that its pages need: the names of all references, and the rows that forms offer for some. */
export function addPageQueries(
  text: string,
  references: readonly NamedReference[],
  offered: readonly NamedReference[],
): string {
  if (references.length === 0) return text;
  const joins = references.map(({ field, target }) => {
    const row = toNameAlias(field).replace(/Name$/, "Row");
    return {
      join: `      .leftJoin("${target.table} as ${row}", "${row}.id", "sample_items.${field.name}")\n`,
      select: `"${row}.${target.label} as ${toNameAlias(field)}"`,
    };
  });
  const tables = new Map(offered.map(({ target }) => [target.table, target.label]));
  const choices = [...tables].map(
    ([table, label]) =>
      `      ${table}: await this.#db.selectFrom("${table}").select(["id", "${label} as label"]).orderBy("${label}").limit(500).execute(),\n`,
  );
  const selected = joins.map(({ select }) => select);
  const methods = [
    "\n  /** With the names of the rows that it refers to. */\n",
    "  findWithNames(id: string) {\n",
    '    return this.#db\n      .selectFrom("sample_items")\n',
    ...joins.map(({ join }) => join),
    '      .selectAll("sample_items")\n',
    `      .select(${selected.length === 1 ? selected[0] : `[${selected.join(", ")}]`})\n`,
    '      .where("sample_items.id", "=", id)\n      .executeTakeFirst();\n  }\n',
    ...(choices.length === 0
      ? []
      : [
          "\n  /** The rows that a form offers for the references: the first 500 of each table. */\n",
          "  async findChoices() {\n    return {\n",
          ...choices,
          "    };\n  }\n",
        ]),
  ];
  return text.replace(/(?<=returning\("id"\).*\n {2}\}\n)/, () => methods.join(""));
}

const choices = "formChoices: await this.#sampleItems.findChoices()";

/** Uses these queries in the pages. */
export function usePageQueries(
  text: string,
  references: readonly NamedReference[],
  offered: readonly NamedReference[],
): string {
  const named = references.length === 0 ? text : useNames(text);
  return offered.length === 0 ? named : useChoices(named);
}

function useChoices(text: string): string {
  return text
    .replace("() => ({}));", () => `async () => ({\n    ${choices},\n  }));`)
    .replace(/(readonly edit = .*)\(ctx\) => this\.#find\(ctx\)\);/, (_, start: string) =>
      [
        `${start}async (ctx) => {\n`,
        '    const found = await this.#sampleItems.find(ctx.param("id"));\n',
        `    return found === undefined ? ctx.fail(404) : { ...found, ${choices} };\n  });`,
      ].join(""),
    );
}

function useNames(text: string): string {
  return text.replace(/(readonly show = .*)\(ctx\) => this\.#find\(ctx\)\);/, (_, start: string) =>
    [
      `${start}async (ctx) => {\n`,
      '    const found = await this.#sampleItems.findWithNames(ctx.param("id"));\n',
      "    return found ?? ctx.fail(404);\n  });",
    ].join(""),
  );
}
