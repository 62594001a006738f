import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fitLines } from "./line-width.ts";
import { packageFolder } from "./origin.ts";

export const appTemplates = ["api", "web", "cli", "full"] as const;
export type AppTemplate = (typeof appTemplates)[number];
export const moduleTypes = ["plain", "resource"] as const;
export type ModuleType = (typeof moduleTypes)[number];

/** The files of a template by their paths, with its names replaced in the paths and in the texts. */
export function readTemplate(
  name: AppTemplate | `module-${ModuleType}`,
  replacements: ReadonlyMap<string, string>,
  isWanted: (path: string) => boolean = () => true,
): Map<string, string> {
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
  const made = files.entries().map(([path, text]) => {
    const named = replace(withoutImports(text, unwanted), replacements);
    // npm packs no file of the name .gitignore
    const target = path === "gitignore" ? ".gitignore" : replace(path, replacements);
    return [target, path.endsWith(".ts") ? fitLines(named) : named] as const;
  });
  return new Map([...made].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Without the imports of files that are not made, and without what they import in the lists where it stands. */
function withoutImports(text: string, unwanted: readonly string[]): string {
  let rest = text;
  for (const path of unwanted) {
    const file = path.slice(path.lastIndexOf("/") + 1).replaceAll(".", "\\.");
    const found = new RegExp(`^import \\{ (\\w+) \\} from "\\./${file}";\\n`, "m").exec(rest);
    if (found !== null) rest = rest.replace(found[0], "").replaceAll(`${found[1]}, `, "");
  }
  return rest;
}

/** In one pass: what was put in is not looked at again. */
function replace(text: string, replacements: ReadonlyMap<string, string>): string {
  const pattern = new RegExp([...replacements.keys()].join("|"), "g");
  return text.replace(pattern, (found) => replacements.get(found) ?? found);
}
