import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HttpError, inject } from "@tenon/core";
import { exists } from "../files.ts";
import { Installer } from "../installer.ts";
import { addDataDependency } from "../manifest.ts";
import { type ModuleNames, toModuleNames, toPascal, toReplacements } from "../names.ts";
import { readOrigin } from "../origin.ts";
import { type ModuleType, readTemplate } from "../templates.ts";
import {
  appModuleFile,
  checkApplication,
  checkDataModule,
  dataModuleFile,
  hasAuth,
  linkInLayout,
  pagesModuleFile,
  readIfPresent,
  wire,
} from "./application.ts";
import { applyChanges, type Change, describeChange } from "./changes.ts";
import { removeFromModule } from "./edit-module.ts";
import { type Field, targetsOf } from "./fields.ts";
import { recordChanges } from "./generated-record.ts";
import { addGuards } from "./guard-edits.ts";
import { type HandlerKind, isForKinds, readHandlerKinds } from "./handler-kinds.ts";
import { checkCollisions } from "./module-names.ts";
import { toFieldEdits, toReferencesFile } from "./resource-files.ts";

export interface NewModule {
  readonly names: ModuleNames;
  readonly type: ModuleType;
  /** The columns of a resource. */
  readonly fields: readonly Field[];
  /** The folder of the application. */
  readonly folder: string;
  readonly install: boolean;
  readonly signal: AbortSignal;
}

interface Plan {
  readonly kinds: ReadonlySet<HandlerKind>;
  readonly changes: readonly Change[];
  /** What the user has to add by hand, and other notes. */
  readonly notes: readonly string[];
  readonly addsDependency: boolean;
}

export class ModulesService {
  readonly #installer = inject(Installer);

  /** Throws before the first file is written. The result yields a line for each step. */
  async create(module: NewModule): Promise<AsyncIterable<string>> {
    checkApplication(module.folder);
    return this.#write(module, await createPlan(module));
  }

  async *#write({ folder, install, signal, type, names }: NewModule, plan: Plan): AsyncGenerator<string> {
    const own = plan.changes.filter(({ path }) => path !== dataModuleFile); // other resources share it
    applyChanges(folder, [...plan.changes, recordChanges(folder, `module ${names.plural}`, own)]);
    for (const change of plan.changes) yield describeChange(change);
    yield* plan.notes;
    if (plan.addsDependency && install) {
      yield "running  npm install\n";
      await this.#installer.install(folder, signal);
    }
    const missing = plan.addsDependency && !install ? ["npm install"] : [];
    const steps = [...missing, "npm test", ...toStartCommands(names, plan.kinds, type)];
    yield `\nThe ${type} module ${names.plural} is ready. Next:\n${steps.map((step) => `  ${step}\n`).join("")}`;
  }
}

async function createPlan(module: NewModule): Promise<Plan> {
  const { names, type, folder, fields } = module;
  const { plural } = names;
  const all = readHandlerKinds(folder);
  const hasPagesModule = all.has("routes") && all.has("pages");
  // the one handler of a plain module cannot be in the module of the routes and in that of the pages
  const kinds = type === "plain" && hasPagesModule ? new Set([...all].filter((kind) => kind !== "pages")) : all;
  if (plural === "assets" && kinds.has("pages")) {
    throw new HttpError(409, "/assets is the path of the assets of pages: nothing was changed");
  }
  checkCollisions(folder, names);
  checkTargets(folder, fields);
  const files = await readFiles(module, kinds);
  if (exists(join(folder, dataModuleFile)) && files.delete(dataModuleFile)) checkDataModule(folder);
  const present = [`src/${plural}`, ...files.keys()].find((path) => exists(join(folder, path)));
  if (present !== undefined) throw new HttpError(409, `${present} exists already: nothing was changed`);
  const pascal = toPascal(plural);
  const moduleFile = `src/${plural}/${plural}.module.ts`;
  const wiring = [
    wire(folder, appModuleFile, "imports", [{ name: `${pascal}Module`, path: `./${plural}/${plural}.module.ts` }]),
  ];
  if (type === "resource" && hasPagesModule) {
    files.set(moduleFile, removeFromModule(files.get(moduleFile) ?? "", `${pascal}Pages`) ?? "");
    const classes = ["Pages", "Service"].map((role) => ({
      name: `${pascal}${role}`,
      path: `../${plural}/${plural}.${role.toLowerCase()}.ts`,
    }));
    wiring.push(wire(folder, pagesModuleFile, "declarations", classes));
  }
  if (kinds.has("pages")) wiring.push(linkInLayout(folder, plural));
  const created = [...files].map(([path, after]): Change => ({ path, before: undefined, after }));
  const manifest = type === "resource" ? changeManifest(folder) : [];
  const open = type === "resource" ? [...kinds].filter((kind) => kind !== "commands") : [];
  const unguarded = hasAuth(folder) ? open.filter((kind) => kind !== "routes") : open;
  return {
    kinds,
    changes: [...created, ...manifest, ...wiring.filter((one) => "path" in one)],
    notes: [
      ...wiring.flatMap((one) => ("byHand" in one ? one.byHand : [])),
      ...(unguarded.length > 0 ? [toOpenNote(plural, unguarded)] : []),
    ],
    addsDependency: manifest.length > 0,
  };
}

async function readFiles({ names, type, fields, folder }: NewModule, kinds: ReadonlySet<HandlerKind>) {
  const editFields = toFieldEdits(fields);
  const isGuarded = kinds.has("routes") && hasAuth(folder);
  const edit = (path: string, text: string) => {
    if (type === "plain") return text;
    const edited = editFields(path, text);
    return isGuarded ? addGuards(path, edited) : edited;
  };
  const isWanted = (path: string) => isForKinds(kinds, type, path);
  const files = await readTemplate(`module-${type}`, toReplacements(names), isWanted, edit);
  for (const [path, text] of await toReferencesFile(names, fields)) files.set(path, text);
  return files;
}

/** A reference needs the table and the type of another resource. */
function checkTargets(folder: string, fields: readonly Field[]): void {
  for (const target of targetsOf(fields)) {
    const file = `src/${target}/${target}.record.ts`;
    const type = toPascal(toModuleNames(target).singular);
    if (new RegExp(`^export interface ${type}\\b`, "m").test(readIfPresent(folder, file) ?? "")) continue;
    throw new HttpError(
      404,
      `there is no resource ${target} to refer to: ${file} exports no interface ${type}; generate it first`,
    );
  }
}

function toOpenNote(plural: string, kinds: readonly HandlerKind[]): string {
  const words = plural.replaceAll("-", " ");
  return `\nNote: everyone may create, change and delete ${words}: the ${kinds.join(" and ")} have no guard.\n`;
}

function changeManifest(folder: string): Change[] {
  const before = readFileSync(join(folder, "package.json"), "utf8");
  const after = addDataDependency(before, readOrigin());
  return after === undefined ? [] : [{ path: "package.json", before, after, note: "depends on @tenon/data" }];
}

/** The commands that show the new module at work. */
function toStartCommands({ plural }: ModuleNames, kinds: ReadonlySet<HandlerKind>, type: ModuleType): string[] {
  if (!kinds.has("commands")) return ["npm start"];
  const command = type === "resource" ? `${plural} list` : plural;
  return kinds.size === 1 ? [`npm start -- ${command}`] : ["npm start", `npm run cli -- ${command}`];
}
