import { toPlural, toSingular, withArticle } from "./plural.ts";

/** PostgreSQL cuts table names after 63 characters, and a plural can be three characters longer. */
const longestName = 60;

/** The reserved words of TypeScript, and words that are confusing as names. */
export const keywords =
  "arguments as async await break case catch class const constructor continue debugger default delete do else enum eval export extends false finally for from function get if implements import in instanceof interface let new null of package private protected prototype public return set static super switch this throw true try type typeof undefined var void while with yield".split(
    " ",
  );
/** Windows cannot create files with these names. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;
/** npm refuses to install a package into an application of the same name. */
const packages = new Set(["node", "typescript", "tenon", "npm"]);
/** Generated files import or use these names: a module's own class would shadow them. */
const usedByTemplates = new Set(
  "Array Boolean Context Database Date Error HttpError Infer Migration Number Object PageQuery Promise Record Routes Row Schema String Symbol".split(
    " ",
  ),
);

/** Tables of SQLite, of the framework and of PostgreSQL, and plurals that are reserved words of SQL. */
const reservedTables = /^(?:sqlite_|tenon_|pg_|(?:values|references|constraints|exists|indexes|sqlites|tenons)$)/;

/** The reason why a name is refused; undefined for a valid name. */
function validateName(name: string): string | undefined {
  return validateWords(name) ?? (keywords.includes(name) ? toReserved(name) : undefined);
}

function validateWords(name: string): string | undefined {
  if (name.length > longestName) return `must have at most ${longestName} characters`;
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name)) {
    return "must be lower-case words of letters and digits, joined with -, such as blog-post";
  }
  return devices.test(name) ? toReserved(name) : undefined;
}

function toReserved(name: string): string {
  return `must not be the reserved word "${name}"`;
}

export function validateAppName(name: string): string | undefined {
  return validateName(name) ?? (packages.has(name) ? `must not be the name of the package "${name}"` : undefined);
}

/** Validates the names that a module gets. The plural follows from the name unless it is given. */
export function validateModuleName(name: string, plural?: string): string | undefined {
  return validateName(name) ?? (plural === undefined ? undefined : validateName(plural)) ?? validateUse(name, plural);
}

/** Validates the name of one class, which may be a reserved word: its role follows, as in `ImportCommands`. */
export function validatePartName(name: string): string | undefined {
  return validateWords(name) ?? validateUse(name);
}

/** The reason why the files, tables or classes of a name are refused. */
function validateUse(name: string, plural?: string): string | undefined {
  const names = toModuleNames(name, plural);
  if (names.plural === "data") return 'must not be "data": src/data.module.ts is the module of the database';
  if (names.plural === "jobs") return `must not be "${name}": src/jobs.module.ts is the module of background jobs`;
  if (names.plural === "live")
    return `must not be "${plural ?? name}": src/live.module.ts is the module of live routes`;
  const table = toTable(names.plural);
  if (reservedTables.test(table)) return `must not be "${name}": the database reserves the table ${table}`;
  const clash = [toPascal(names.singular), toPascal(names.plural)].find((word) => usedByTemplates.has(word));
  return clash === undefined ? undefined : `must not be "${name}": the generated files use ${clash} for something else`;
}

export interface ModuleNames {
  /** `blog-post` */
  readonly singular: string;
  /** `blog-posts` */
  readonly plural: string;
}

/** Only the last word changes: `blog-post` and `blog-posts`. A given plural may be the same as the name. */
export function toModuleNames(name: string, plural?: string): ModuleNames {
  if (plural !== undefined) return { singular: plural === name ? name : toModuleNames(name).singular, plural };
  const words = name.split("-");
  const last = words.pop() ?? "";
  const join = (word: string) => [...words, word].join("-");
  return { singular: join(toSingular(last)), plural: join(toPlural(last)) };
}

/** The names in the templates and their replacements. Longer names come first, because they contain shorter ones. */
export function toReplacements({ singular, plural }: ModuleNames): ReadonlyMap<string, string> {
  return new Map([
    ["SampleItems", toPascal(plural)],
    ["SampleItem", toPascal(singular)],
    ["sampleItems", toCamel(plural)],
    ["sampleItem", toCamel(singular)],
    ["sample-items", plural],
    ["sample_items", toTable(plural)],
    ["a sample item", withArticle(singular.replaceAll("-", " "))],
    ["sample items", plural.replaceAll("-", " ")],
    ["sample item", singular.replaceAll("-", " ")],
    ["Sample items", capitalize(plural.replaceAll("-", " "))],
    ["Sample item", capitalize(singular.replaceAll("-", " "))],
  ]);
}

/** `blog-posts` as a name in SQL: `blog_posts`. */
export function toTable(name: string): string {
  return name.replaceAll("-", "_");
}

export function toPascal(name: string): string {
  return name.split("-").map(capitalize).join("");
}

export function toCamel(name: string): string {
  const pascal = toPascal(name);
  return pascal.charAt(0).toLowerCase() + pascal.slice(1);
}

export function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
