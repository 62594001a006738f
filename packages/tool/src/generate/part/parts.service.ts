import { HttpError, inject } from "@tenon/core";
import { toPascal, toReplacements } from "../../names.ts";
import { Installer } from "../../scaffold/installer.ts";
import { readTemplate } from "../../templates.ts";
import { addPackages, appModuleFile, checkApplication, readIfPresent, type WiredClass, wire } from "../application.ts";
import type { Change } from "../edit/changes.ts";
import type { Generation } from "../generator-flags.ts";
import { readHandlerKinds, toKindsModel } from "../handler-kinds.ts";
import { installAndWrite } from "../install-and-write.ts";
import { checkPartCollisions, checkPath } from "../module-names.ts";
import { importAll } from "../resource/resource-model.ts";
import { readSharedModule, sharedModules } from "../shared-modules.ts";

export const partKinds = ["controller", "service", "middleware", "command", "job", "channel"] as const;
export type PartKind = (typeof partKinds)[number];

export interface NewPart extends Generation {
  readonly kind: PartKind;
  readonly name: string;
  /** Whether a channel has a WebSocket beside its event stream. */
  readonly socket?: boolean | undefined;
  /** The module that declares it; defaults to that of the application. */
  readonly module?: string | undefined;
}

/** The role in the names of files and classes: commands are in `import.commands.ts`. */
function toRole(kind: PartKind): string {
  return kind === "command" || kind === "job" ? `${kind}s` : kind;
}

export function toPartClass(kind: PartKind, name: string): string {
  return `${toPascal(name)}${toPascal(toRole(kind))}`;
}

/** Makes one class, declares it in a module and writes a test for it. */
export class PartsService {
  readonly #installer = inject(Installer);

  /** Throws before the first file is written. The result yields a line for each step. */
  async create(part: NewPart): Promise<AsyncIterable<string>> {
    const { kind, name, module, folder } = part;
    checkApplication(folder);
    const moduleFile = module === undefined ? appModuleFile : `src/${module}/${module}.module.ts`;
    const source = readIfPresent(folder, moduleFile);
    if (source === undefined) throw new HttpError(404, `there is no module ${moduleFile}: nothing was changed`);
    if (kind === "controller") checkPath(name, readHandlerKinds(folder));
    checkPartCollisions(folder, module === undefined ? "src" : `src/${module}`, name, toRole(kind));
    const created = await readPart(part);
    const shared = sharedModules.get(kind);
    const isServed = kind === "controller" || kind === "command"; // by the API, which declares them where pages are apart
    const inApp = isServed && toKindsModel(readHandlerKinds(folder)).split;
    const path = `./${inApp && module !== undefined ? `${module}/` : ""}${name}.${toRole(kind)}.ts`;
    const classes: WiredClass[] = [{ list: "declarations", name: toPartClass(kind, name), path }];
    if (shared === undefined) return this.#write(part, created, inApp ? appModuleFile : moduleFile, classes, []);
    if (!new RegExp(`\\b${shared.name}\\b`).test(source)) {
      const path = `${module === undefined ? "./" : "../"}${shared.dependency}.module.ts`;
      classes.push({ list: "imports", name: shared.name, path });
    }
    const files = new Map([...created, ...(await readSharedModule(folder, shared))]);
    return this.#write(part, files, moduleFile, classes, addPackages(folder, [shared.dependency]));
  }

  #write(
    part: NewPart,
    files: ReadonlyMap<string, string>,
    moduleFile: string,
    classes: readonly WiredClass[],
    manifest: readonly Change[],
  ): AsyncGenerator<string> {
    const wiring = [wire(part.folder, moduleFile, classes)];
    return installAndWrite(this.#installer, { ...part, files, manifest, wiring, notes: toHints(part) });
  }
}

async function readPart({ kind, name, socket, module, folder }: NewPart): Promise<Map<string, string>> {
  const role = kind === "channel" && socket === true ? "socket" : toRole(kind); // of the template's file
  const kinds = readHandlerKinds(folder);
  const needsView = kind === "controller" && toKindsModel(kinds).pagesOnly;
  const isWanted = (path: string) =>
    path.startsWith("views/") ? needsView : new RegExp(`\\.${role}(?:\\.test)?\\.ts$`).test(path);
  const place = ["src/sample-items/", module === undefined ? "src/" : `src/${module}/`] as const;
  const names = new Map([
    place,
    ["sample-items.socket", `${name}.channel`],
    ...toReplacements({ singular: name, plural: name }),
  ]);
  return readTemplate("module-part", { names, isWanted, model: { ...toKindsModel(kinds), importAll } });
}

function toHints({ kind, name, folder }: NewPart): string[] {
  if (kind === "middleware") return [`\nList ${toPartClass(kind, name)} in the middlewares of a route or a group.\n`];
  const kinds = readHandlerKinds(folder);
  if (kind === "command" && !kinds.has("commands")) {
    return ["\nNote: the application has no src/main.cli.ts, which would run the command.\n"];
  }
  const isServed = kind !== "channel" || kinds.has("routes") || kinds.has("pages");
  return isServed ? [] : ["\nNote: the application has no src/main.api.ts, which would serve the channel.\n"];
}
