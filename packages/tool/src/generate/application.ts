import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isIdentifier, isVariableDeclarator } from "@babel/types";
import { HttpError } from "@tenon/core";
import { exists } from "../files.ts";
import { capitalize } from "../names.ts";
import { addDependencies, parseManifest } from "../scaffold/manifest.ts";
import { readOrigin } from "../scaffold/origin.ts";
import type { Change, Wiring } from "./edit/changes.ts";
import { type AddedClass, addToModule, type ModuleList } from "./edit/edit-module.ts";
import { addTable, emptySchema, type Table } from "./edit/edit-schema.ts";
import { parseNodes } from "./edit/parse-nodes.ts";

export const appModuleFile = "src/app.module.ts";
export const dataModuleFile = "src/data.module.ts";
const schemaFile = "src/database/schema.ts";
export const layoutFile = "views/layout.eta";
export const pagesModuleFile = "src/pages/pages.module.ts";

export function checkApplication(folder: string): void {
  if (exists(join(folder, "package.json")) && exists(join(folder, "src"))) return;
  throw new HttpError(404, `${folder} is not an application: it has no package.json or no src`);
}

export function checkMissing(folder: string, path: string): void {
  if (exists(join(folder, path))) throw new HttpError(409, `${path} exists already: nothing was changed`);
}

/** Undefined for a file that does not exist. */
export function readIfPresent(folder: string, path: string): string | undefined {
  return exists(join(folder, path)) ? readFileSync(join(folder, path), "utf8") : undefined;
}

/** Whether `src/data.module.ts` declares `DataModule`. */
export function hasDataModule(folder: string): boolean {
  const nodes = parseNodes(readIfPresent(folder, dataModuleFile) ?? "") ?? [];
  return nodes.some((node) => isVariableDeclarator(node) && isIdentifier(node.id, { name: "DataModule" }));
}

/** A resource imports `DataModule`, so that it would not start without the declaration. */
export function checkDataModule(folder: string): void {
  if (hasDataModule(folder)) return;
  throw new HttpError(409, `${dataModuleFile} declares no DataModule, which a resource imports: nothing was changed`);
}

/** Whether `tenon g auth` was run, or a module of the same name was written by hand. */
function hasAuth(folder: string): boolean {
  return /^export const AuthModule\b/m.test(readIfPresent(folder, "src/auth.module.ts") ?? "");
}

/** The guards of routes that `tenon g auth` generates, without and with `--sessions`. */
export type RouteGuard = "BearerAuth" | "SessionAuth";

/** Undefined in an application without users. */
export function findRouteGuard(folder: string): RouteGuard | undefined {
  if (!hasAuth(folder)) return undefined;
  const controller = readIfPresent(folder, "src/users/users.controller.ts") ?? "";
  return /\bSessionAuth\b/.test(controller) ? "SessionAuth" : "BearerAuth";
}

/** Whether pages can be guarded, by the class that `tenon g auth` adds to applications with pages. */
export function hasLogin(folder: string): boolean {
  return /^export class RequireLogin\b/m.test(readIfPresent(folder, "src/users/require-login.ts") ?? "");
}

export interface WiredClass extends AddedClass {
  readonly list: ModuleList;
}

/** Adds classes to the lists of a module. */
export function wire(folder: string, file: string, classes: readonly WiredClass[]): Wiring {
  const before = readIfPresent(folder, file);
  let after = before;
  for (const { list, ...added } of classes) after = after === undefined ? undefined : addToModule(after, list, added);
  if (before === undefined || after === undefined) return toByHand(file, classes);
  const verbs = { imports: "imports", declarations: "declares" };
  const note = namesByList(classes).map(([list, names]) => `${verbs[list]} ${names.join(", ")}`);
  return { path: file, before, after, note: note.join("; ") };
}

function namesByList(classes: readonly WiredClass[]): [list: ModuleList, names: string[]][] {
  return (["imports", "declarations"] as const)
    .map((list): [ModuleList, string[]] => [list, classes.filter((one) => one.list === list).map(({ name }) => name)])
    .filter(([, names]) => names.length > 0);
}
/** The lines to add to a module that cannot be edited. */
export function toByHand(file: string, classes: readonly WiredClass[]): Wiring {
  return {
    byHand: [
      `\n${file} could not be edited and is unchanged. Add to the module${file === appModuleFile ? " of your application" : ""}:\n`,
      ...classes.map(({ name, path }) => `  import { ${name} } from "${path}";\n`),
      ...namesByList(classes).map(([list, names]) => `  ${list}: [${names.join(", ")}],\n`),
    ].join(""),
  };
}

/** The name in package.json, without its scope. */
export function readAppName(folder: string): string {
  const { name } = parseManifest(readFileSync(join(folder, "package.json"), "utf8"));
  return typeof name === "string" && name !== "" ? name.replace(/^@[^/]*\//, "") : basename(folder);
}

/** Adds packages of the framework to package.json, those in `dev` for tests only. Nothing where it has them. */
export function addPackages(folder: string, names: readonly string[], dev: readonly string[] = []): Change[] {
  const before = readFileSync(join(folder, "package.json"), "utf8");
  const after = addDependencies(before, readOrigin(), names, dev);
  const added = [...names, ...dev].map((name) => `@tenon/${name}`).filter((name) => !before.includes(`"${name}"`));
  return after === undefined ? [] : [{ path: "package.json", before, after, note: `depends on ${added.join(", ")}` }];
}

/** Adds a table to the schema of the application, which is created where there is none. */
export function wireTable(folder: string, table: Table): Wiring {
  const before = readIfPresent(folder, schemaFile);
  const after = addTable(before ?? emptySchema, table);
  if (after !== undefined) return { path: schemaFile, before, after, note: `has the table ${table.name}` };
  const lines = `  import type { ${table.type} } from "${table.path}";\n  ${table.name}: ${table.type};\n`;
  return { byHand: `\n${schemaFile} could not be edited and is unchanged. Add to the interface Schema:\n${lines}` };
}

/** Adds a link to the navigation of the pages, which is the header of the layout unless it has a nav. */
export function linkInLayout(folder: string, plural: string): Wiring {
  const link = `<a href="/${plural}">${capitalize(plural.replaceAll("-", " "))}</a>\n`;
  return addToLayout(folder, link, [accountStart, ...navigationEnds], `links /${plural}`);
}

const navigationEnds = ["</nav>", "</header>"];
const accountStart = "<% if (page.shared.user) { -%>";
/** The line that `tenon g accounts` replaces by a link. */
export const userName = "<span><%= page.shared.user.email %></span>";
const accountLinks = `${accountStart}
${userName}
<form method="post" action="/logout"><%~ page.csrfField() %><button>Log out</button></form>
<% } else { -%>
<a href="/login">Log in</a>
<a href="/register">Register</a>
<% } -%>
`;

/** Adds login, registration and logout to the navigation of the pages. */
export function linkAccount(folder: string): Wiring {
  return addToLayout(folder, accountLinks, navigationEnds, "links /login, /register and /logout");
}

/** Takes a command that has run out of the list of the welcome page; nothing where the page is another. */
export function removeFromWelcome(folder: string, command: string): Wiring[] {
  const path = "views/greetings/index.eta";
  const before = readIfPresent(folder, path) ?? "";
  const after = before.replace(new RegExp(`<dt>.*</dt>\\n<dd><code>npx tenon ${command}</code></dd>\\n`), "");
  return after === before ? [] : [{ path, before, after, note: `has no advice to run ${command}` }];
}

/** Adds lines before the first of some lines that the layout has once. */
function addToLayout(folder: string, lines: string, places: readonly string[], note: string): Wiring {
  const before = readIfPresent(folder, layoutFile);
  const place = places.find((line) => before?.split(`\n${line}`).length === 2);
  if (before === undefined || place === undefined) {
    const indented = lines.replaceAll(/^(?=.)/gm, "  ");
    return { byHand: `\n${layoutFile} has no navigation to edit and is unchanged. Add to it:\n${indented}` };
  }
  return { path: layoutFile, before, after: before.replace(`\n${place}`, () => `\n${lines}${place}`), note };
}
