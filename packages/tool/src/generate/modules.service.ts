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
  type WiredClass,
  wire,
  wireTable,
} from "./application.ts";
import type { Wiring } from "./edit/changes.ts";
import type { Generation } from "./generator-flags.ts";
import { type HandlerKind, isForKinds, readHandlerKinds, toKindsModel } from "./handler-kinds.ts";
import { installAndWrite } from "./install-and-write.ts";
import { checkCollisions, checkPath } from "./module-names.ts";
import { findPagesRoot } from "./pages-root.ts";
import type { Field } from "./resource/fields.ts";
import { type Guards, ownerField, toResourceModel } from "./resource/resource-model.ts";
import { readTargets } from "./resource/targets.ts";
import { readDataModule } from "./shared-modules.ts";

export interface NewModule extends Generation {
  readonly names: ModuleNames;
  readonly type: ModuleType;
  /** The columns of a resource, without that of its owner. */
  readonly fields: readonly Field[];
  /** Whether the rows of a resource belong to the user who creates them. */
  readonly owner: boolean;
  /** Whether a resource may be used without a login. */
  readonly isPublic: boolean;
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
      routes: kinds.has("routes") && !module.isPublic ? findRouteGuard(folder) : undefined,
      pages: kinds.has("pages") && !module.isPublic && hasLogin(folder),
    };
    if (module.owner) checkOwner(module, kinds, guards);
    const files = await readFiles(module, kinds, guards);
    checkMissing(folder, `src/${names.plural}`);
    const dev = module.owner && kinds.has("routes") ? ["fuzz"] : [];
    const manifest = type === "resource" ? addPackages(folder, ["data"], dev) : [];
    const wiring = toWiring(module, kinds, hasPagesModule);
    return installAndWrite(this.#installer, {
      ...module,
      files,
      manifest,
      wiring,
      notes: type === "resource" ? toNotes(module, kinds, guards) : [],
      summary: `The ${type} module ${names.plural} is ready.`,
      steps: ["npm test", ...toStartCommands(names, kinds, type)],
    });
  }
}

/** Rows of an owner need users, and a guard wherever they are served. */
function checkOwner({ fields }: NewModule, kinds: ReadonlySet<HandlerKind>, guards: Guards): void {
  const served = [...kinds].filter((kind) => kind !== "commands");
  if (served.length === 0 || !served.every((kind) => guards[kind])) {
    throw new HttpError(409, "--owner needs users who log in: run tenon g auth first; nothing was changed");
  }
  // fuzzAccess takes such a field for the owner, and so does a reader
  const other = fields.find(({ name }) => [ownerField.name, "owner_id", "author_id"].includes(name));
  if (other !== undefined) {
    const cure = `leave out ${other.name}, or name it after what else the user is`;
    throw new HttpError(400, `--owner adds the owner as ${ownerField.name}: ${cure}; nothing was changed`);
  }
}

async function readFiles(
  { names, type, fields: inputs, owner, isPublic, folder }: NewModule,
  kinds: ReadonlySet<HandlerKind>,
  guards: Guards,
): Promise<Map<string, string>> {
  const options = { names: toReplacements(names), isWanted: (path: string) => isForKinds(kinds, type, path) };
  if (type === "plain") {
    const { split } = toKindsModel(readHandlerKinds(folder)); // without the pages, which a plain module does not serve
    return readTemplate("module-plain", { ...options, model: { ...toKindsModel(kinds), split } });
  }
  const root = findPagesRoot(folder);
  const fields = owner ? [ownerField, ...inputs] : inputs;
  const targets = readTargets(folder, fields, guards.routes !== undefined || guards.pages);
  const isWanted = (path: string) => {
    if (path.endsWith(".owner.ts")) return owner;
    if (path.endsWith(".access.test.ts") && !owner) return false;
    if (path.endsWith(".references.ts")) return targets.size > 0;
    return options.isWanted(path) && (root !== undefined || !path.endsWith(".pages.test.ts"));
  };
  const model = toResourceModel({ fields, targets, kinds, guards, owner, isPublic, root });
  const files = await readTemplate("module-resource", { ...options, isWanted, model });
  return new Map([...files, ...(await readDataModule(folder))]);
}

function toWiring(
  { names, type, folder }: NewModule,
  kinds: ReadonlySet<HandlerKind>,
  hasPagesModule: boolean,
): Wiring[] {
  const { plural } = names;
  const pascal = toPascal(plural);
  const toClass = (role: string, start: string): WiredClass => ({
    list: role === "Module" ? "imports" : "declarations",
    name: `${pascal}${role}`,
    path: `${start}${plural}/${plural}.${role.toLowerCase()}.ts`,
  });
  const served = type === "resource" && kinds.has("commands") ? ["Controller", "Commands"] : ["Controller"];
  const inApp = hasPagesModule ? ["Module", ...served] : ["Module"];
  const wiring: Wiring[] = [
    wire(
      folder,
      appModuleFile,
      inApp.map((role) => toClass(role, "./")),
    ),
  ];
  if (type === "resource") {
    const path = `../${plural}/${plural}.dto.ts`;
    wiring.push(wireTable(folder, { name: toTable(plural), type: toPascal(names.singular), path }));
  }
  if (type === "resource" && hasPagesModule) {
    wiring.push(wire(folder, pagesModuleFile, [toClass("Module", "../"), toClass("Pages", "../")]));
  }
  if (kinds.has("pages")) wiring.push(linkInLayout(folder, plural));
  return wiring;
}

function toNotes(module: NewModule, kinds: ReadonlySet<HandlerKind>, guards: Guards): string[] {
  const served = [...kinds].filter((kind) => kind !== "commands");
  const byGuard = Map.groupBy(served, (kind) => Boolean(guards[kind]));
  const isUntested = kinds.has("pages") && findPagesRoot(module.folder) === undefined;
  return [
    ...[...byGuard].map(([isGuarded, some]) => `\nThe ${some.join(" and ")}: ${toAccessNote(module, isGuarded)}.\n`),
    ...(isUntested ? ["\nNote: no test of the pages: src/platform.ts exports no function createPlatform.\n"] : []),
  ];
}

/** Who may do what, and how to change it. */
function toAccessNote({ names, owner, isPublic }: NewModule, isGuarded: boolean): string {
  if (owner) return `users see and change their own only, by the policy ${toPascal(names.singular)}Owner`;
  const all = `may read, create, change and delete all ${names.plural.replaceAll("-", " ")}`;
  if (isGuarded) {
    return `users who log in ${all} (access: "users"); to give each user their own, use --owner, to need no login --public`;
  }
  if (isPublic) return `everyone ${all} (access: "public"); for a login, write a guard and access: "users"`;
  return `everyone ${all}, for there are no users; for a login, run tenon g auth first, or declare it with --public`;
}

/** The commands to try the new module with. */
function toStartCommands({ plural }: ModuleNames, kinds: ReadonlySet<HandlerKind>, type: ModuleType): string[] {
  if (!kinds.has("commands")) return ["npm start"];
  const command = type === "resource" ? `${plural} list` : plural;
  return kinds.size === 1 ? [`npm start -- ${command}`] : ["npm start", `npm run cli -- ${command}`];
}
