import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isIdentifier, isVariableDeclarator } from "@babel/types";
import { HttpError } from "@tenon/core";
import { exists } from "../files.ts";
import { parseNodes } from "../parse-nodes.ts";
import type { Change } from "./changes.ts";
import { type AddedClass, addToModule, type ModuleList } from "./edit-module.ts";

export const appModuleFile = "src/app.module.ts";
export const dataModuleFile = "src/data.module.ts";
export const layoutFile = "views/layout.eta";
export const pagesModuleFile = "src/pages/pages.module.ts";

export function checkApplication(folder: string): void {
  if (exists(join(folder, "package.json")) && exists(join(folder, "src"))) return;
  throw new HttpError(404, `${folder} is not an application: it has no package.json or no src`);
}

/** Undefined for a file that does not exist. */
export function readIfPresent(folder: string, path: string): string | undefined {
  return exists(join(folder, path)) ? readFileSync(join(folder, path), "utf8") : undefined;
}

/** A resource imports `DataModule`, so that it would not start without the declaration. */
export function checkDataModule(folder: string): void {
  const nodes = parseNodes(readFileSync(join(folder, dataModuleFile), "utf8")) ?? [];
  if (nodes.some((node) => isVariableDeclarator(node) && isIdentifier(node.id, { name: "DataModule" }))) return;
  throw new HttpError(409, `${dataModuleFile} declares no DataModule, which a resource imports: nothing was changed`);
}

/** Whether `tenon g auth` was run, or a module of the same name was written by hand. */
export function hasAuth(folder: string): boolean {
  return /^export const AuthModule\b/m.test(readIfPresent(folder, "src/auth.module.ts") ?? "");
}

/** A change of a module's file, or the lines to add by hand where the file is not clear enough to edit. */
export type Wiring = Change | { readonly byHand: string };

/** Adds classes to a list of a module. */
export function wire(folder: string, file: string, list: ModuleList, classes: readonly AddedClass[]): Wiring {
  const before = readIfPresent(folder, file);
  let after = before;
  for (const added of classes) after = after === undefined ? undefined : addToModule(after, list, added);
  const names = classes.map(({ name }) => name).join(", ");
  if (before !== undefined && after !== undefined) {
    const verb = list === "imports" ? "imports" : "declares";
    return { path: file, before, after, note: `${verb} ${names}` };
  }
  return {
    byHand: [
      `\n${file} could not be edited and is unchanged. Add to the module${file === appModuleFile ? " of your application" : ""}:\n`,
      ...classes.map(({ name, path }) => `  import { ${name} } from "${path}";\n`),
      `  ${list}: [${names}],\n`,
    ].join(""),
  };
}

/** Adds a link to the navigation of the pages, which is the header of the layout unless it has a nav. */
export function linkInLayout(folder: string, plural: string): Wiring {
  const words = plural.replaceAll("-", " ");
  const link = `<a href="/${plural}">${words.charAt(0).toUpperCase()}${words.slice(1)}</a>\n`;
  const before = readIfPresent(folder, layoutFile);
  const end = ["</nav>", "</header>"].find((tag) => before?.split(`\n${tag}`).length === 2);
  if (before === undefined || end === undefined) {
    return { byHand: `\n${layoutFile} has no navigation to edit and is unchanged. Add to it:\n  ${link}` };
  }
  return { path: layoutFile, before, after: before.replace(`\n${end}`, `\n${link}${end}`), note: `links /${plural}` };
}
