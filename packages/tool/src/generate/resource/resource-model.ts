import { toCamel, toPascal } from "../../names.ts";
import { withArticle } from "../../plural.ts";
import type { RouteGuard } from "../application.ts";
import { comparePaths } from "../edit/edit-source.ts";
import { type HandlerKind, toKindsModel } from "../handler-kinds.ts";
import type { PagesRoot } from "../pages-root.ts";
import { type FieldCode, sortNames, toFieldCode, toFormSample, toImports, toSample } from "./field-code.ts";
import { type Field, findLead, findRequired, targetsOf, toLabel } from "./fields.ts";
import { otherId, sampleId, type Target, toReferencedRows } from "./targets.ts";

/** What of a new resource is guarded. */
export interface Guards {
  /** The guard of the routes; undefined without one. */
  readonly routes: RouteGuard | undefined;
  readonly pages: boolean;
}

export interface NewResource {
  readonly fields: readonly Field[];
  /** The resources that fields refer to, by their plural. */
  readonly targets: ReadonlyMap<string, Target>;
  readonly kinds: ReadonlySet<HandlerKind>;
  readonly guards: Guards;
  /** Whether rows belong to the user in the column of `ownerField`. */
  readonly owner: boolean;
  readonly isPublic: boolean;
  /** What the tests of the pages start with. */
  readonly root: PagesRoot | undefined;
}

/** The column of `--owner`: not an input, because it is set to the user who creates a row. */
export const ownerField: Field = { name: "user_id", type: "ref", isOptional: false, target: "users", values: [] };

interface FieldModel extends Field {
  /** `Due on` */
  readonly label: string;
  /** `due on` */
  readonly words: string;
  /** `an author` */
  readonly phrase: string;
  readonly code: FieldCode;
  /** The table of a ref. */
  readonly table?: string;
  /** The name of a variable for the row of a ref. */
  readonly variable: string;
  /** The column of a ref's row that pages show, and the name under which the page has its value. */
  readonly shownColumn?: string | undefined;
  readonly alias?: string | undefined;
  /** Whether the rows of a ref are private to their users. */
  readonly isOwned: boolean;
  /** Whether the row of a ref has a page. */
  readonly isLinked: boolean;
  /** The table whose rows a form offers; undefined where it asks for the id. */
  readonly choicesOf?: string | undefined;
}

/** The variables of the templates of a resource, in `templates/module-resource`. */
export function toResourceModel({ fields: parsed, targets, kinds, guards, owner, isPublic, root }: NewResource) {
  const hasUsers = guards.routes !== undefined || guards.pages;
  const fields = parsed.map((field) => toFieldModel(field, targets.get(field.target ?? ""), hasUsers));
  const inputs = owner ? fields.filter(({ name }) => name !== ownerField.name) : fields;
  const testModules = toModules(parsed, guards);
  const { split } = toKindsModel(kinds);
  const modules = split ? testModules.filter(({ name }) => name !== "AuthModule") : testModules;
  const shown = kinds.has("pages") ? inputs.filter(({ alias }) => alias !== undefined) : [];
  const offered = kinds.has("pages") ? inputs.filter(({ choicesOf }) => choicesOf !== undefined) : [];
  return {
    ...toKindsModel(kinds),
    guards,
    root,
    fields,
    inputs,
    owner,
    isPublic,
    /** The field of headings and links; without one they show the id. */
    lead: findLead(inputs),
    required: findRequired(inputs),
    short: inputs.find(({ type }) => type === "string"),
    sortNames,
    /** The ids of a row that tests refer to, and of no row. */
    ids: { sample: sampleId, other: otherId },
    hasJson: inputs.some(({ type }) => type === "json"),
    imports: toImports(fields, ["dto", "type Infer", "string", "timestamp"]),
    modules,
    importAll,
    /** The routes that show an access test the rows to refer to. */
    referredControllers: [...targets.values()].flatMap(({ plural, hasController }) =>
      hasController && inputs.some(({ target }) => target === plural)
        ? { name: `${toPascal(plural)}Controller`, path: `../src/${plural}/${plural}.controller.ts` }
        : [],
    ),
    testModules: testModules.map(({ name, path }) => ({ name, path: path.replace("..", "../src") })),
    /** The refs that a service checks: a foreign key would only report that it was violated. */
    checked: inputs.filter(({ target }) => target !== undefined),
    /** Whether a user could refer to the rows of another. */
    checksOwner: owner && inputs.some(({ isOwned }) => isOwned),
    shown,
    choices: [...new Map(offered.map(({ table, shownColumn }) => [table, { table, shownColumn }])).values()],
    referencedRows: toReferencedRows(targets),
    samples: {
      first: toSample(inputs, 0),
      second: toSample(inputs, 1),
      command: toSample(fields, 0),
    },
    formSamples: { first: toFormSample(inputs, 0), second: toFormSample(inputs, 1) },
  };
}

/** The statements that import one name each, sorted as the formatter does. */
export function importAll(imported: readonly { readonly name: string; readonly path: string }[]): string {
  const sorted = imported.toSorted((left, right) => comparePaths(left.path, right.path));
  return sorted.map(({ name, path }) => `import { ${name} } from "${path}";\n`).join("");
}

function toFieldModel(field: Field, target: Target | undefined, hasUsers: boolean): FieldModel {
  const label = toLabel(field);
  const words = label.toLowerCase();
  const base = toCamel(field.name.replace(/_id$/, "").replaceAll("_", "-"));
  const variable = base === "input" ? "inputRow" : base;
  const model = {
    ...field,
    label,
    words,
    phrase: withArticle(words),
    code: toFieldCode(field, target?.idType),
    variable,
  };
  if (target === undefined) return { ...model, isOwned: false, isLinked: false };
  // a form that offers all users would publish their names
  const isOffered = target.label !== undefined && !(hasUsers && target.plural === "users");
  return {
    ...model,
    table: target.table,
    shownColumn: target.label,
    alias: target.label === undefined ? undefined : `${variable}Name`, // in camel case, unlike the name of any column
    isOwned: target.isOwned,
    isLinked: target.hasPage,
    choicesOf: isOffered ? target.table : undefined,
  };
}

/** The modules that create the tables of the references start first. */
function toModules(fields: readonly Field[], { routes, pages }: Guards) {
  return [
    { name: "DataModule", path: "../data.module.ts" },
    ...targetsOf(fields).map((plural) => ({
      name: `${toPascal(plural)}Module`,
      path: `../${plural}/${plural}.module.ts`,
    })),
    ...(routes !== undefined || pages ? [{ name: "AuthModule", path: "../auth.module.ts" }] : []),
  ];
}
