import { HttpError, inject } from "@tenon/core";
import { type ModuleNames, toPascal, toReplacements, toTable } from "../names.ts";
import { Installer } from "../scaffold/installer.ts";
import { type ModuleType, readTemplate } from "../templates.ts";
import {
  addPackages,
  appModuleFile,
  checkApplication,
  checkMissing,
  findRouteGuard,
  hasLogin,
  linkInLayout,
  pagesModuleFile,
  wire,
  wireTable,
} from "./application.ts";
import { type Wiring, write } from "./edit/changes.ts";
import { type HandlerKind, isForKinds, readHandlerKinds, toKindsModel } from "./handler-kinds.ts";
import { checkCollisions, checkPath } from "./module-names.ts";
import { findPagesRoot } from "./pages-root.ts";
import type { Field } from "./resource/fields.ts";
import { type Guards, ownerField, toResourceModel } from "./resource/resource-model.ts";
import { readTargets } from "./resource/targets.ts";
import { readDataModule } from "./shared-modules.ts";

export interface NewModule {
  readonly names: ModuleNames;
  readonly type: ModuleType;
  /** The columns of a resource, without that of its owner. */
  readonly fields: readonly Field[];
  /** Whether the rows of a resource belong to the user who creates them. */
  readonly owner: boolean;
  /** The folder of the application. */
  readonly folder: string;
  readonly install: boolean;
  readonly signal: AbortSignal;
}

export class ModulesService {
  readonly #installer = inject(Installer);

  /** Throws before the first file is written. The result yields a line for each step. */
  async create(module: NewModule): Promise<AsyncIterable<string>> {
    const { names, type, folder } = module;
    checkApplication(folder);
    const all = readHandlerKinds(folder);
    const hasPagesModule = all.has("routes") && all.has("pages");
    // the one handler of a plain module cannot be in the module of the routes and in that of the pages
    const kinds = type === "plain" && hasPagesModule ? new Set([...all].filter((kind) => kind !== "pages")) : all;
    checkPath(names.plural, kinds);
    checkCollisions(folder, names);
    const guards = {
      routes: kinds.has("routes") ? findRouteGuard(folder) : undefined,
      pages: kinds.has("pages") && hasLogin(folder),
    };
    if (module.owner) checkOwner(module, kinds, guards);
    const files = await readFiles(module, kinds, guards);
    checkMissing(folder, `src/${names.plural}`);
    const dev = module.owner && kinds.has("routes") ? ["fuzz"] : [];
    const manifest = type === "resource" ? addPackages(folder, ["data"], dev) : [];
    const wiring = toWiring(module, kinds, hasPagesModule);
    const lines = write(folder, files, [...manifest, ...wiring]);
    return this.#installer.finish({
      ...module,
      lines: type === "resource" ? [...lines, ...toNotes(module, kinds, guards)] : lines,
      summary: `The ${type} module ${names.plural} is ready.`,
      steps: [...manifest.map(() => "npm install"), "npm test", ...toStartCommands(names, kinds, type)],
    });
  }
}

/** Rows of an owner need users, and a guard wherever they are served. */
function checkOwner({ fields }: NewModule, kinds: ReadonlySet<HandlerKind>, guards: Guards): void {
  const served = [...kinds].filter((kind) => kind !== "commands");
  if (served.length === 0 || !served.every((kind) => guards[kind])) {
    throw new HttpError(409, "--owner needs users who log in: run tenon g auth first; nothing was changed");
  }
  if (fields.some(({ name }) => name === ownerField.name)) {
    throw new HttpError(400, `--owner adds ${ownerField.name}, which --fields has too: nothing was changed`);
  }
}

async function readFiles(
  { names, type, fields: inputs, owner, folder }: NewModule,
  kinds: ReadonlySet<HandlerKind>,
  guards: Guards,
): Promise<Map<string, string>> {
  const options = { names: toReplacements(names), isWanted: (path: string) => isForKinds(kinds, type, path) };
  if (type === "plain") return readTemplate("module-plain", { ...options, model: toKindsModel(kinds) });
  const root = findPagesRoot(folder);
  const fields = owner ? [ownerField, ...inputs] : inputs;
  const targets = readTargets(folder, fields);
  const isWanted = (path: string) => {
    if (path.endsWith(".owner.ts")) return owner;
    if (path.endsWith(".access.test.ts") && !owner) return false;
    if (path.endsWith(".references.ts")) return targets.size > 0;
    return options.isWanted(path) && (root !== undefined || !path.endsWith(".pages.test.ts"));
  };
  const model = toResourceModel({ fields, targets, kinds, guards, owner, root });
  const files = await readTemplate("module-resource", { ...options, isWanted, model });
  return new Map([...files, ...(await readDataModule(folder))]);
}

function toWiring(
  { names, type, owner, folder }: NewModule,
  kinds: ReadonlySet<HandlerKind>,
  hasPagesModule: boolean,
): Wiring[] {
  const { plural } = names;
  const pascal = toPascal(plural);
  const wiring: Wiring[] = [
    wire(folder, appModuleFile, [
      { list: "imports", name: `${pascal}Module`, path: `./${plural}/${plural}.module.ts` },
    ]),
  ];
  if (type === "resource") {
    const path = `../${plural}/${plural}.dto.ts`;
    wiring.push(wireTable(folder, { name: toTable(plural), type: toPascal(names.singular), path }));
  }
  if (type === "resource" && hasPagesModule) {
    const classes = (["Pages", "Service"] as const).map((role) => ({
      list: "declarations" as const,
      name: `${pascal}${role}`,
      path: `../${plural}/${plural}.${role.toLowerCase()}.ts`,
    }));
    const policy = {
      list: "declarations" as const,
      name: `${toPascal(names.singular)}Owner`,
      path: `../${plural}/${plural}.owner.ts`,
    };
    wiring.push(wire(folder, pagesModuleFile, owner ? [...classes, policy] : classes));
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

/** The commands to try the new module with. */
function toStartCommands({ plural }: ModuleNames, kinds: ReadonlySet<HandlerKind>, type: ModuleType): string[] {
  if (!kinds.has("commands")) return ["npm start"];
  const command = type === "resource" ? `${plural} list` : plural;
  return kinds.size === 1 ? [`npm start -- ${command}`] : ["npm start", `npm run cli -- ${command}`];
}
