import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HttpError, inject } from "@tenon/core";
import { exists } from "../files.ts";
import { type ModuleNames, toPascal, toReplacements } from "../names.ts";
import { Installer } from "../scaffold/installer.ts";
import { addDataDependency } from "../scaffold/manifest.ts";
import { readOrigin } from "../scaffold/origin.ts";
import { type ModuleType, readTemplate } from "../templates.ts";
import {
  appModuleFile,
  checkApplication,
  checkDataModule,
  dataModuleFile,
  hasAuth,
  hasLogin,
  isShared,
  isStandIn,
  linkInLayout,
  pagesModuleFile,
  type Wiring,
  wire,
  wireTable,
} from "./application.ts";
import { applyChanges, type Change, describeChange } from "./changes.ts";
import { removeFromModule } from "./edit-module.ts";
import type { Field } from "./fields.ts";
import { recordChanges } from "./generated-record.ts";
import { addGuards, type Guards } from "./guard-edits.ts";
import { type HandlerKind, isForKinds, readHandlerKinds } from "./handler-kinds.ts";
import { checkCollisions } from "./module-names.ts";
import { addOwner, findOwner, toOwnerFile } from "./owner-code.ts";
import { findPagesRoot, useRoot } from "./pages-root.ts";
import { toReferencesFile } from "./reference-rows.ts";
import { toFieldEdits } from "./resource-files.ts";
import { readTargets, type Target } from "./targets.ts";

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
    const own = plan.changes.filter(({ path, before }) => before !== undefined || !isShared(path));
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
  const { names, type, folder } = module;
  const all = readHandlerKinds(folder);
  const hasPagesModule = all.has("routes") && all.has("pages");
  // the one handler of a plain module cannot be in the module of the routes and in that of the pages
  const kinds = type === "plain" && hasPagesModule ? new Set([...all].filter((kind) => kind !== "pages")) : all;
  if (names.plural === "assets" && kinds.has("pages")) {
    throw new HttpError(409, "/assets is the path of the assets of pages: nothing was changed");
  }
  checkCollisions(folder, names);
  const guards = { routes: kinds.has("routes") && hasAuth(folder), pages: kinds.has("pages") && hasLogin(folder) };
  const owner = type === "resource" ? findOwner(module.fields, kinds, guards) : undefined;
  if (owner !== undefined && module.fields.length === 1) {
    throw new HttpError(400, `--fields needs more than ${owner.name}, which is set to the user: nothing was changed`);
  }
  const files = await readFiles(module, kinds, guards, owner);
  if (exists(join(folder, dataModuleFile)) && files.delete(dataModuleFile)) checkDataModule(folder);
  const present = [`src/${names.plural}`, ...files.keys()].find((path) => exists(join(folder, path)));
  if (present !== undefined) throw new HttpError(409, `${present} exists already: nothing was changed`);
  const wiring = toWiring(module, kinds, hasPagesModule, owner !== undefined);
  const created = [...files].map(([path, after]): Change => ({ path, before: undefined, after }));
  const manifest = type === "resource" ? changeManifest(folder) : [];
  return {
    kinds,
    changes: [...created, ...manifest, ...wiring.filter((one) => "path" in one)],
    notes: [
      ...wiring.flatMap((one) => ("byHand" in one ? one.byHand : [])),
      ...(type === "resource" ? toNotes(module, kinds, guards) : []),
    ],
    addsDependency: manifest.length > 0,
  };
}

async function readFiles(
  module: NewModule,
  kinds: ReadonlySet<HandlerKind>,
  guards: Guards,
  owner: Field | undefined,
): Promise<Map<string, string>> {
  const { names, type, fields, folder } = module;
  const targets = type === "resource" ? readTargets(folder, fields) : new Map<string, Target>();
  const editFields = toFieldEdits({ fields, targets, hasPages: kinds.has("pages"), owner });
  const root = findPagesRoot(folder);
  const edit = (path: string, text: string) => {
    if (type === "plain") return text;
    const guarded = addGuards(guards, path, editFields(path, text));
    const edited = owner === undefined ? guarded : addOwner(owner, path, guarded);
    if (root !== undefined && path.endsWith(".pages.test.ts")) return useRoot(edited, root);
    // with routes, the pages are declared in the module of the pages
    const declaresNoPages = kinds.has("routes") && path.endsWith("-items.module.ts");
    return (declaresNoPages ? removeFromModule(edited, "SampleItemsPages") : undefined) ?? edited;
  };
  const isWanted = (path: string) => {
    const isUntestable = type === "resource" && root === undefined && path.endsWith(".pages.test.ts");
    return isForKinds(kinds, type, path) && !isStandIn(path) && !isUntestable;
  };
  const files = await readTemplate(`module-${type}`, toReplacements(names), isWanted, edit);
  for (const [path, text] of await toReferencesFile(names, targets)) files.set(path, text);
  return owner === undefined ? files : files.set(...(await toOwnerFile(names, owner)));
}

function toWiring(
  { names, type, folder }: NewModule,
  kinds: ReadonlySet<HandlerKind>,
  hasPagesModule: boolean,
  isOwned: boolean,
): Wiring[] {
  const { plural } = names;
  const pascal = toPascal(plural);
  const wiring: Wiring[] = [
    wire(folder, appModuleFile, [
      { list: "imports", name: `${pascal}Module`, path: `./${plural}/${plural}.module.ts` },
    ]),
  ];
  if (type === "resource") {
    const path = `../${plural}/${plural}.record.ts`;
    wiring.push(wireTable(folder, { name: plural.replaceAll("-", "_"), type: toPascal(names.singular), path }));
  }
  if (type === "resource" && hasPagesModule) {
    const classes = (["Pages", "Service"] as const).map((role) => ({
      list: "declarations" as const,
      name: `${pascal}${role}`,
      path: `../${plural}/${plural}.${role.toLowerCase()}.ts`,
    }));
    const owner = {
      list: "declarations" as const,
      name: `${toPascal(names.singular)}Owner`,
      path: `../${plural}/${plural}.owner.ts`,
    };
    wiring.push(wire(folder, pagesModuleFile, isOwned ? [...classes, owner] : classes));
  }
  if (kinds.has("pages")) wiring.push(linkInLayout(folder, plural));
  return wiring;
}

function toNotes({ names, folder }: NewModule, kinds: ReadonlySet<HandlerKind>, guards: Guards): string[] {
  const open = [...kinds].filter((kind) => kind !== "commands" && !guards[kind]);
  const isUntested = kinds.has("pages") && findPagesRoot(folder) === undefined;
  return [
    ...(open.length > 0 ? [toOpenNote(names.plural, open)] : []),
    ...(isUntested ? ["\nNote: no test of the pages: src/platform.ts exports no function createPlatform.\n"] : []),
  ];
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
