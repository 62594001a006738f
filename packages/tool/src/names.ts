import { toPlural, toSingular } from "./plural.ts";

/** PostgreSQL cuts the names of tables after 63 characters, and a plural may be three longer. */
const longestName = 60;

const keywords =
  "arguments as async await break case catch class const constructor continue debugger default delete do else enum eval export extends false finally for from function get if implements import in instanceof interface let new null of package private protected prototype public return set static super switch this throw true try type typeof undefined var void while with yield";
/** Files of these names cannot be made on Windows. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;
/** npm refuses an application that is called like something it depends on. */
const packages = new Set(["node", "typescript", "tenon", "npm"]);
/** What generated files mean by these names must stay what it is. */
const usedByTemplates = new Set(
  "Array Boolean Context Database Date Error HttpError Infer Migration Number Object Promise Record Routes Schema String Symbol".split(
    " ",
  ),
);

/** Why a name cannot be that of an application or of a module; undefined when it can. */
export function findNameFault(name: string): string | undefined {
  if (name.length > longestName) return `must have at most ${longestName} characters`;
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name)) {
    return "must be lower-case words of letters and digits, joined with -, such as blog-post";
  }
  if (keywords.split(" ").includes(name) || devices.test(name)) return `must not be the reserved word "${name}"`;
  return undefined;
}

export function findAppNameFault(name: string): string | undefined {
  return findNameFault(name) ?? (packages.has(name) ? `must not be that of the package "${name}"` : undefined);
}

export function findModuleNameFault(name: string): string | undefined {
  const fault = findNameFault(name);
  if (fault !== undefined) return fault;
  const names = toModuleNames(name);
  // the folder and the class would stand beside those of the application itself
  if (names.plural === "data") return 'must not be "data": src/data.module.ts is that of the stores';
  const clash = [toPascal(names.singular), toPascal(names.plural)].find((word) => usedByTemplates.has(word));
  return clash === undefined ? undefined : `must not be "${name}": the generated files use ${clash} for something else`;
}

export interface ModuleNames {
  /** `blog-post` */
  readonly singular: string;
  /** `blog-posts` */
  readonly plural: string;
}

/** Only the last word changes: `blog-post` and `blog-posts`. */
export function toModuleNames(name: string): ModuleNames {
  const words = name.split("-");
  const last = words.pop() ?? "";
  const join = (word: string) => [...words, word].join("-");
  return { singular: join(toSingular(last)), plural: join(toPlural(last)) };
}

/** What each name of the templates becomes; longer ones come first, because they contain the shorter ones. */
export function toReplacements({ singular, plural }: ModuleNames): ReadonlyMap<string, string> {
  return new Map([
    ["SampleItems", toPascal(plural)],
    ["SampleItem", toPascal(singular)],
    ["sampleItems", toCamel(plural)],
    ["sampleItem", toCamel(singular)],
    ["sample-items", plural],
    ["sample_items", plural.replaceAll("-", "_")],
    ["sample items", plural.replaceAll("-", " ")],
    ["sample item", singular.replaceAll("-", " ")],
    ["Sample items", capitalize(plural.replaceAll("-", " "))],
    ["Sample item", capitalize(singular.replaceAll("-", " "))],
  ]);
}

export function toPascal(name: string): string {
  return name.split("-").map(capitalize).join("");
}

function toCamel(name: string): string {
  const pascal = toPascal(name);
  return pascal.charAt(0).toLowerCase() + pascal.slice(1);
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
