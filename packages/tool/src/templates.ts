import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "./scaffold/origin.ts";

export const appTemplates = ["api", "web", "cli", "full"] as const;
export type AppTemplate = (typeof appTemplates)[number];
export const moduleTypes = ["plain", "resource"] as const;
export type ModuleType = (typeof moduleTypes)[number];

/** The longest line of generated code, as in the templates. */
export const lineWidth = 120;

/** Written without their dot in the templates: npm does not pack .gitignore, and a glob does not match such names. */
const dotNames = /^(?:gitignore|dockerignore|nvmrc|env\.example|github\/.+)$/;

export interface TemplateOptions {
  /** The names in the paths and texts of the template, and their replacements. */
  readonly names?: ReadonlyMap<string, string>;
  readonly isWanted?: (path: string) => boolean;
  /** The variables of the tags `{% … %}`. The code of applications has no tags: it is checked where it is. */
  readonly model?: object;
}

/** The files of a template by their paths. */
export async function readTemplate(
  name: AppTemplate | "app" | `module-${ModuleType | "part" | "auth" | "accounts" | "shared" | "migration"}`,
  { names = new Map(), isWanted = () => true, model }: TemplateOptions = {},
): Promise<Map<string, string>> {
  const folder = join(packageFolder, "templates", name);
  const paths = globSync("**/*", { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .map((path) => path.replaceAll("\\", "/"))
    .filter(isWanted);
  const render = model === undefined ? (_: string, text: string) => text : await createRender(model);
  const created = paths.map(async (path) => {
    // before the tags: the fields of a resource may have the names of the template
    const named = replaceNames(readFileSync(join(folder, path), "utf8"), names);
    const text = render(`${name}/${path}`, named);
    const target = dotNames.test(path) ? `.${path}` : replaceNames(path, names);
    return [target, path.endsWith(".ts") ? await formatCode(text) : text] as const;
  });
  return new Map((await Promise.all(created)).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Not with the tags of Eta, which the views among the templates have. A variable that the model lacks is an error. */
async function createRender(model: object): Promise<(file: string, text: string) => string> {
  const { Eta } = await import("eta/core"); // most commands render nothing
  const eta = new Eta({
    tags: ["{%", "%}"],
    useWith: true,
    autoTrim: false,
    autoEscape: false,
    autoFilter: true,
    filterFunction(value) {
      if (typeof value === "string") return value;
      throw new TypeError(`a tag prints ${String(value)}, which is not a string`); // such as a misspelled property
    },
  });
  return (file, text) => {
    try {
      return eta.renderString(text, model);
    } catch (error) {
      throw new Error(`the template ${file} cannot be rendered`, { cause: error });
    }
  };
}

/** Formats code only if a long name makes a line too wide: Prettier is slow to load, and most names are short. */
export async function formatCode(source: string): Promise<string> {
  if (source.split("\n").every((line) => line.length <= lineWidth)) return source;
  const { format } = await import("prettier");
  return format(source, { parser: "babel-ts", printWidth: lineWidth });
}

/** Replaces in one pass: a name that was put in is not replaced again. */
function replaceNames(text: string, names: ReadonlyMap<string, string>): string {
  const pattern = new RegExp([...names.keys()].map(RegExp.escape).join("|"), "g");
  return text.replace(pattern, (found) => names.get(found) ?? found);
}
