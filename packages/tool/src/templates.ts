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
const dotNames = /^(?:gitignore|dockerignore|env\.example|github\/.+)$/;

/** The files of a template by their paths, with its names replaced in the paths and in the texts. */
export async function readTemplate(
  name: AppTemplate | `module-${ModuleType | "part" | "auth"}`,
  replacements: ReadonlyMap<string, string>,
  isWanted: (path: string) => boolean = () => true,
  edit: (path: string, text: string) => string = (_, text) => text,
): Promise<Map<string, string>> {
  const folder = join(packageFolder, "templates", name);
  const files = new Map<string, string>();
  const unwanted: string[] = [];
  for (const entry of globSync("**/*", { cwd: folder, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name)
      .slice(folder.length + 1)
      .replaceAll("\\", "/");
    if (isWanted(path)) files.set(path, readFileSync(join(folder, path), "utf8"));
    else unwanted.push(path);
  }
  const created = [...files].map(async ([path, text]) => {
    const named = replaceNames(edit(path, withoutImports(text, unwanted)), replacements);
    const target = dotNames.test(path) ? `.${path}` : replaceNames(path, replacements);
    return [target, path.endsWith(".ts") ? await formatCode(named) : named] as const;
  });
  return new Map((await Promise.all(created)).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Formats code only if a long name makes a line too wide: Prettier is slow to load, and most names are short. */
export async function formatCode(source: string): Promise<string> {
  if (source.split("\n").every((line) => line.length <= lineWidth)) return source;
  const { format } = await import("prettier");
  return format(source, { parser: "babel-ts", printWidth: lineWidth });
}

/** Removes the imports of files that are not generated, and the imported names from the lists. */
function withoutImports(text: string, unwanted: readonly string[]): string {
  let rest = text;
  for (const path of unwanted) {
    const file = path.slice(path.lastIndexOf("/") + 1).replaceAll(".", "\\.");
    const found = new RegExp(`^import \\{ (\\w+) \\} from "\\./${file}";\\n`, "m").exec(rest);
    if (found !== null) rest = rest.replace(found[0], "").replaceAll(`${found[1]}, `, "");
  }
  return rest;
}

/** Replaces in one pass: a name that was put in is not replaced again. */
export function replaceNames(text: string, replacements: ReadonlyMap<string, string>): string {
  const pattern = new RegExp([...replacements.keys()].map(RegExp.escape).join("|"), "g");
  return text.replace(pattern, (found) => replacements.get(found) ?? found);
}
