import { join } from "node:path";
import { HttpError, inject } from "@tenon/core";
import { createFiles, exists } from "./files.ts";
import { Installer } from "./installer.ts";
import { toAppManifest, toAppTypes } from "./manifest.ts";
import { readOrigin, toSpecifier } from "./origin.ts";
import { type AppTemplate, readTemplate } from "./templates.ts";

export interface NewApp {
  readonly name: string;
  readonly template: AppTemplate;
  /** In which the folder of the application is made. */
  readonly folder: string;
  readonly install: boolean;
  readonly signal: AbortSignal;
}

export class AppsService {
  readonly #installer = inject(Installer);

  /** Looks before it writes; what it gives back writes and tells of each step. */
  create({ name, template, folder, install, signal }: NewApp): AsyncIterable<string> {
    if (!exists(folder)) throw new HttpError(404, `there is no folder ${folder}`);
    const target = join(folder, name);
    if (exists(target)) throw new HttpError(409, `${target} exists already: nothing was changed`);
    const specifier = toSpecifier(readOrigin(), "core");
    const files = readTemplate(template, new Map([["my-app", name]]));
    for (const [path, edit] of [
      ["package.json", toAppManifest],
      ["tsconfig.json", toAppTypes],
    ] as const) {
      files.set(path, edit(files.get(path) ?? "", specifier));
    }
    return this.#write(files, { name, target, install, signal });
  }

  async *#write(
    files: ReadonlyMap<string, string>,
    { name, target, install, signal }: Pick<NewApp, "name" | "install" | "signal"> & { readonly target: string },
  ): AsyncGenerator<string> {
    yield* createFiles(target, files, `${name}/`);
    if (install) {
      yield "running  npm install\n";
      await this.#installer.install(target, signal);
    }
    const steps = [`cd ${name}`, ...(install ? [] : ["npm install"]), "npm test", "npm start"];
    yield `\n${name} is ready. Next:\n${steps.map((step) => `  ${step}\n`).join("")}`;
  }
}
