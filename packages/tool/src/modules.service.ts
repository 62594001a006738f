import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HttpError, inject } from "@tenon/core";
import { createFiles, exists } from "./files.ts";
import { Installer } from "./installer.ts";
import { addDataDependency } from "./manifest.ts";
import { toModuleNames, toPascal, toReplacements } from "./names.ts";
import { readOrigin } from "./origin.ts";
import { isFor, type Part, readParts } from "./parts.ts";
import { type ModuleType, readTemplate } from "./templates.ts";
import { tokenize } from "./tokens.ts";
import { wireModule } from "./wiring.ts";

export interface NewModule {
  readonly name: string;
  readonly type: ModuleType;
  /** Of the application. */
  readonly folder: string;
  readonly install: boolean;
  readonly signal: AbortSignal;
}

interface Plan {
  readonly plural: string;
  readonly parts: ReadonlySet<Part>;
  readonly files: ReadonlyMap<string, string>;
  /** Undefined when package.json stays as it is. */
  readonly manifest: string | undefined;
}

const sharedFile = "src/data.module.ts";
const appModuleFile = "src/app.module.ts";

export class ModulesService {
  readonly #installer = inject(Installer);

  checkFolder(folder: string): void {
    if (exists(join(folder, "package.json")) && exists(join(folder, "src"))) return;
    throw new HttpError(404, `${folder} is not an application: it has no package.json or no src`);
  }

  /** Looks before it writes; what it gives back writes and tells of each step. */
  create(module: NewModule): AsyncIterable<string> {
    this.checkFolder(module.folder);
    return this.#write(module, plan(module));
  }

  async *#write({ folder, install, signal, type }: NewModule, planned: Plan): AsyncGenerator<string> {
    const { plural, files, manifest } = planned;
    yield* createFiles(folder, files);
    if (manifest !== undefined) {
      writeFileSync(join(folder, "package.json"), manifest);
      yield "changed  package.json: depends on @tenon/data\n";
    }
    yield wireInto(folder, { name: `${toPascal(plural)}Module`, path: `./${plural}/${plural}.module.ts` });
    if (manifest !== undefined && install) {
      yield "running  npm install\n";
      await this.#installer.install(folder, signal);
    }
    const missing = manifest !== undefined && !install ? ["npm install"] : [];
    const steps = [...missing, "npm test", ...toStarts(planned, type)];
    yield `\nThe ${type} module ${plural} is ready. Next:\n${steps.map((step) => `  ${step}\n`).join("")}`;
  }
}

function plan({ name, type, folder }: NewModule): Plan {
  const { plural, singular } = toModuleNames(name);
  const parts = readParts(folder);
  if (plural === "assets" && parts.has("pages")) {
    throw new HttpError(409, "/assets is the path of the assets of pages: nothing was changed");
  }
  const files = readTemplate(`module-${type}`, toReplacements({ plural, singular }), (path) =>
    isFor(parts, type, path),
  );
  const present = [`src/${plural}`, ...files.keys()].filter(
    (path) => path !== sharedFile && exists(join(folder, path)),
  );
  if (present.length > 0) throw new HttpError(409, `${present[0]} exists already: nothing was changed`);
  if (exists(join(folder, sharedFile)) && files.delete(sharedFile)) checkShared(folder);
  const manifest =
    type === "resource"
      ? addDataDependency(readFileSync(join(folder, "package.json"), "utf8"), readOrigin())
      : undefined;
  return { plural, parts, files, manifest };
}

/** How to see it at work. */
function toStarts({ plural, parts }: Plan, type: ModuleType): string[] {
  if (!parts.has("commands")) return ["npm start"];
  const command = type === "resource" ? `${plural} list` : plural;
  return parts.size === 1 ? [`npm start -- ${command}`] : ["npm start", `npm run cli -- ${command}`];
}

/** Without this name in it, what is generated would not start. */
function checkShared(folder: string): void {
  const words = tokenize(readFileSync(join(folder, sharedFile), "utf8"))?.map(({ text }) => text) ?? [];
  if (words.some((word, index) => word === "DataModule" && words[index - 1] === "const")) return;
  throw new HttpError(409, `${sharedFile} declares no DataModule, which a resource imports: nothing was changed`);
}

/** A file that cannot be understood stays as it is, and whoever wrote it is told what to add. */
function wireInto(folder: string, module: { readonly name: string; readonly path: string }): string {
  const file = join(folder, appModuleFile);
  const wired = exists(file) ? wireModule(readFileSync(file, "utf8"), module) : undefined;
  if (wired === undefined) {
    return [
      `\n${appModuleFile} could not be understood and stays as it is. Add to the module of your application:\n`,
      `  import { ${module.name} } from "${module.path}";\n`,
      `  imports: [${module.name}],\n`,
    ].join("");
  }
  writeFileSync(file, wired);
  return `changed  ${appModuleFile}: imports ${module.name}\n`;
}
