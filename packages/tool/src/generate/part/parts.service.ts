import { HttpError, inject } from "@tenon/core";
import { toPascal, toReplacements } from "../../names.ts";
import { Installer } from "../../scaffold/installer.ts";
import { readTemplate } from "../../templates.ts";
import {
  addPackages,
  appModuleFile,
  checkApplication,
  checkMissing,
  readIfPresent,
  type WiredClass,
  wire,
} from "../application.ts";
import { type Change, describeChange, write } from "../edit/changes.ts";
import { readHandlerKinds, toKindsModel } from "../handler-kinds.ts";
import { checkPartCollisions, checkPath } from "../module-names.ts";
import { readSharedModule, sharedModules } from "../shared-modules.ts";

export const partKinds = ["controller", "service", "middleware", "command", "job", "channel"] as const;
export type PartKind = (typeof partKinds)[number];

export interface NewPart {
  readonly kind: PartKind;
  readonly name: string;
  /** Whether a channel has a WebSocket beside its event stream. */
  readonly socket?: boolean | undefined;
  /** The module that declares it; defaults to that of the application. */
  readonly module?: string | undefined;
  /** The folder of the application. */
  readonly folder: string;
  /** Whether npm install runs when a dependency is added. */
  readonly install: boolean;
  readonly signal: AbortSignal;
}

/** The role in the names of files and classes: commands are in `import.commands.ts`. */
export function toRole(kind: PartKind): string {
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
    const classes: WiredClass[] = [
      { list: "declarations", name: toPartClass(kind, name), path: `./${name}.${toRole(kind)}.ts` },
    ];
    if (shared === undefined) return this.#write(part, created, moduleFile, classes, []);
    if (!new RegExp(`\\b${shared.name}\\b`).test(source)) {
      const path = `${module === undefined ? "./" : "../"}${shared.dependency}.module.ts`;
      classes.push({ list: "imports", name: shared.name, path });
    }
    const files = new Map([...created, ...(await readSharedModule(folder, shared))]);
    return this.#write(part, files, moduleFile, classes, addPackages(folder, [shared.dependency]));
  }

  /** Packages are installed first: files that import what is not there would stop the application. */
  async *#write(
    part: NewPart,
    files: ReadonlyMap<string, string>,
    moduleFile: string,
    classes: readonly WiredClass[],
    manifest: readonly Change[],
  ): AsyncGenerator<string> {
    const { folder, install, signal } = part;
    for (const path of files.keys()) checkMissing(folder, path); // before an installation that would be in vain
    for (const change of install ? manifest : []) {
      yield "running  npm install\n";
      await this.#installer.installWith(folder, change.after, signal);
      yield describeChange(change);
    }
    yield* write(folder, files, [wire(folder, moduleFile, classes), ...(install ? [] : manifest)]);
    yield* toHints(part);
    if (!install && manifest.length > 0) yield "\nNext:\n  npm install\n";
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
  return readTemplate("module-part", { names, isWanted, model: toKindsModel(kinds) });
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
