import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "./origin.ts";

export const appTemplates = ["api", "cli"] as const;
export type AppTemplate = (typeof appTemplates)[number];
export const moduleTypes = ["plain", "resource"] as const;
export type ModuleType = (typeof moduleTypes)[number];

/** The files of a template by their paths, with its names replaced in the paths and in the texts. */
export function readTemplate(
  name: AppTemplate | `module-${ModuleType}`,
  replacements: ReadonlyMap<string, string>,
): Map<string, string> {
  const folder = join(packageFolder, "templates", name);
  const files = new Map<string, string>();
  for (const entry of globSync("**/*", { cwd: folder, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name)
      .slice(folder.length + 1)
      .replaceAll("\\", "/");
    const text = readFileSync(join(folder, path), "utf8");
    // npm packs no file of the name .gitignore
    files.set(path === "gitignore" ? ".gitignore" : replace(path, replacements), replace(text, replacements));
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** In one pass: what was put in is not looked at again. */
function replace(text: string, replacements: ReadonlyMap<string, string>): string {
  const pattern = new RegExp([...replacements.keys()].join("|"), "g");
  return text.replace(pattern, (found) => replacements.get(found) ?? found);
}
