import { HttpError } from "@tenon/core";
import { toPascal, toReplacements } from "../names.ts";
import { readTemplate } from "../templates.ts";
import { appModuleFile, checkApplication, readIfPresent, wire } from "./application.ts";
import { applyChanges, type Change, describeChange } from "./changes.ts";
import { recordChanges } from "./generated-record.ts";
import { readHandlerKinds } from "./handler-kinds.ts";
import { importJobs } from "./import-jobs.ts";
import { checkPartCollisions } from "./module-names.ts";

export const partKinds = ["controller", "service", "middleware", "command", "job"] as const;
export type PartKind = (typeof partKinds)[number];

export interface NewPart {
  readonly kind: PartKind;
  readonly name: string;
  /** The module that declares it; defaults to that of the application. */
  readonly module?: string | undefined;
  /** The folder of the application. */
  readonly folder: string;
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
  async create(part: NewPart): Promise<Iterable<string>> {
    const { kind, name, module, folder } = part;
    checkApplication(folder);
    const moduleFile = module === undefined ? appModuleFile : `src/${module}/${module}.module.ts`;
    if (readIfPresent(folder, moduleFile) === undefined) {
      throw new HttpError(404, `there is no module ${moduleFile}: nothing was changed`);
    }
    checkPartCollisions(folder, module === undefined ? "src" : `src/${module}`, name, toRole(kind));
    const created = await readPart(part);
    const className = toPartClass(kind, name);
    const wiring = wire(folder, moduleFile, [
      { list: "declarations", name: className, path: `./${name}.${toRole(kind)}.ts` },
    ]);
    const jobs = kind === "job" ? importJobs(folder, moduleFile, wiring) : { changes: [wiring], shared: [] };
    const changes = [...created, ...jobs.changes.filter((change) => "path" in change)];
    // what other jobs share is not recorded: `tenon destroy` keeps it
    applyChanges(folder, [...changes, ...jobs.shared, recordChanges(folder, `${kind} ${name}`, changes)]);
    return [
      ...[...changes, ...jobs.shared].map((change) => describeChange(change)),
      ...jobs.changes.flatMap((change) => ("byHand" in change ? change.byHand : [])),
      ...toHints(part),
    ];
  }
}

async function readPart({ kind, name, module, folder }: NewPart): Promise<Change[]> {
  const kinds = readHandlerKinds(folder);
  const needsView = kind === "controller" && kinds.has("pages") && !kinds.has("routes");
  const isWanted = (path: string) =>
    path.startsWith("views/") ? needsView : new RegExp(`\\.${toRole(kind)}(?:\\.test)?\\.ts$`).test(path);
  const place = ["src/sample-items/", module === undefined ? "src/" : `src/${module}/`] as const;
  const replacements = new Map([place, ...toReplacements({ singular: name, plural: name })]);
  const files = await readTemplate("module-part", replacements, isWanted);
  return [...files].map(([path, after]) => ({ path, before: undefined, after }));
}

function toHints({ kind, name, folder }: NewPart): string[] {
  if (kind === "middleware") return [`\nList ${toPartClass(kind, name)} in the middlewares of a route or a group.\n`];
  const isRun = kind !== "command" || readHandlerKinds(folder).has("commands");
  return isRun ? [] : ["\nNote: the application has no src/main.cli.ts, which would run the command.\n"];
}
