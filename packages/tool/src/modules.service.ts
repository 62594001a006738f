import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isIdentifier, isVariableDeclarator } from "@babel/types";
import { HttpError, inject } from "@tenon/core";
import { addModuleImport, type ModuleImport } from "./add-module-import.ts";
import { createFiles, exists } from "./files.ts";
import { type HandlerKind, isForKinds, readHandlerKinds } from "./handler-kinds.ts";
import { Installer } from "./installer.ts";
import { addDataDependency } from "./manifest.ts";
import { toModuleNames, toPascal, toReplacements } from "./names.ts";
import { readOrigin } from "./origin.ts";
import { parseNodes } from "./parse-nodes.ts";
import { type ModuleType, readTemplate } from "./templates.ts";

export interface NewModule {
  readonly name: string;
  readonly type: ModuleType;
  /** The folder of the application. */
  readonly folder: string;
  readonly install: boolean;
  readonly signal: AbortSignal;
}

interface Plan {
  readonly plural: string;
  readonly kinds: ReadonlySet<HandlerKind>;
  readonly files: ReadonlyMap<string, string>;
  /** The new package.json; undefined when it does not change. */
  readonly manifest: string | undefined;
}

const dataModuleFile = "src/data.module.ts";
const appModuleFile = "src/app.module.ts";

export class ModulesService {
  readonly #installer = inject(Installer);

  checkFolder(folder: string): void {
    if (exists(join(folder, "package.json")) && exists(join(folder, "src"))) return;
    throw new HttpError(404, `${folder} is not an application: it has no package.json or no src`);
  }

  /** Throws before the first file is written. The result yields a line for each step. */
  async create(module: NewModule): Promise<AsyncIterable<string>> {
    this.checkFolder(module.folder);
    return this.#write(module, await createPlan(module));
  }

  async *#write({ folder, install, signal, type }: NewModule, plan: Plan): AsyncGenerator<string> {
    const { plural, files, manifest } = plan;
    yield* createFiles(folder, files);
    if (manifest !== undefined) {
      writeFileSync(join(folder, "package.json"), manifest);
      yield "changed  package.json: depends on @tenon/data\n";
    }
    yield importIntoApp(folder, { name: `${toPascal(plural)}Module`, path: `./${plural}/${plural}.module.ts` });
    if (manifest !== undefined && install) {
      yield "running  npm install\n";
      await this.#installer.install(folder, signal);
    }
    const missing = manifest !== undefined && !install ? ["npm install"] : [];
    const steps = [...missing, "npm test", ...toStartCommands(plan, type)];
    yield `\nThe ${type} module ${plural} is ready. Next:\n${steps.map((step) => `  ${step}\n`).join("")}`;
  }
}

async function createPlan({ name, type, folder }: NewModule): Promise<Plan> {
  const { plural, singular } = toModuleNames(name);
  const kinds = readHandlerKinds(folder);
  if (plural === "assets" && kinds.has("pages")) {
    throw new HttpError(409, "/assets is the path of the assets of pages: nothing was changed");
  }
  const files = await readTemplate(`module-${type}`, toReplacements({ plural, singular }), (path) =>
    isForKinds(kinds, type, path),
  );
  const present = [`src/${plural}`, ...files.keys()].filter(
    (path) => path !== dataModuleFile && exists(join(folder, path)),
  );
  if (present.length > 0) throw new HttpError(409, `${present[0]} exists already: nothing was changed`);
  if (exists(join(folder, dataModuleFile)) && files.delete(dataModuleFile)) checkDataModule(folder);
  const manifest =
    type === "resource"
      ? addDataDependency(readFileSync(join(folder, "package.json"), "utf8"), readOrigin())
      : undefined;
  return { plural, kinds, files, manifest };
}

/** The commands that show the new module at work. */
function toStartCommands({ plural, kinds }: Plan, type: ModuleType): string[] {
  if (!kinds.has("commands")) return ["npm start"];
  const command = type === "resource" ? `${plural} list` : plural;
  return kinds.size === 1 ? [`npm start -- ${command}`] : ["npm start", `npm run cli -- ${command}`];
}

/** A resource imports `DataModule`, so that it would not start without the declaration. */
function checkDataModule(folder: string): void {
  const nodes = parseNodes(readFileSync(join(folder, dataModuleFile), "utf8")) ?? [];
  if (nodes.some((node) => isVariableDeclarator(node) && isIdentifier(node.id, { name: "DataModule" }))) return;
  throw new HttpError(409, `${dataModuleFile} declares no DataModule, which a resource imports: nothing was changed`);
}

/** Leaves a file that is not clear enough to edit as it is, and returns the lines to add by hand. */
function importIntoApp(folder: string, module: ModuleImport): string {
  const file = join(folder, appModuleFile);
  const edited = exists(file) ? addModuleImport(readFileSync(file, "utf8"), module) : undefined;
  if (edited === undefined) {
    return [
      `\n${appModuleFile} could not be edited and is unchanged. Add to the module of your application:\n`,
      `  import { ${module.name} } from "${module.path}";\n`,
      `  imports: [${module.name}],\n`,
    ].join("");
  }
  writeFileSync(file, edited);
  return `changed  ${appModuleFile}: imports ${module.name}\n`;
}
