import { HttpError } from "@tenon/core";
import { toPascal, toReplacements } from "../names.ts";
import { readTemplate } from "../templates.ts";
import { appModuleFile, checkApplication, readIfPresent, wire } from "./application.ts";
import { applyChanges, type Change, describeChange } from "./changes.ts";
import { recordChanges } from "./generated-record.ts";
import { readHandlerKinds } from "./handler-kinds.ts";
import { checkPartCollisions } from "./module-names.ts";
import { importShared, sharedModules } from "./shared-modules.ts";

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
    const needed = sharedModules.get(kind);
    const wired =
      needed === undefined ? { changes: [wiring], shared: [] } : importShared(folder, moduleFile, wiring, needed);
    const changes = [...created, ...wired.changes.filter((change) => "path" in change)];
    // what other parts share is not recorded: `tenon destroy` keeps it while it is used
    applyChanges(folder, [...changes, ...wired.shared, recordChanges(folder, `${kind} ${name}`, changes)]);
    return [
      ...[...changes, ...wired.shared].map((change) => describeChange(change)),
      ...wired.changes.flatMap((change) => ("byHand" in change ? change.byHand : [])),
      ...toHints(part),
    ];
  }
}

async function readPart({ kind, name, socket, module, folder }: NewPart): Promise<Change[]> {
  const role = kind === "channel" && socket === true ? "socket" : toRole(kind); // of the template's file
  const kinds = readHandlerKinds(folder);
  const needsView = kind === "controller" && kinds.has("pages") && !kinds.has("routes");
  const isWanted = (path: string) =>
    path.startsWith("views/") ? needsView : new RegExp(`\\.${role}(?:\\.test)?\\.ts$`).test(path);
  const place = ["src/sample-items/", module === undefined ? "src/" : `src/${module}/`] as const;
  const replacements = new Map([
    place,
    ["sample-items.socket", `${name}.channel`],
    ...toReplacements({ singular: name, plural: name }),
  ]);
  const files = await readTemplate("module-part", replacements, isWanted);
  return [...files].map(([path, after]) => ({ path, before: undefined, after }));
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
