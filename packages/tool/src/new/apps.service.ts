import { join, relative } from "node:path";
import { HttpError, inject } from "@tenon/core";
import { exists, isFolder } from "../files.ts";
import { applyChanges, describeChange } from "../generate/changes.ts";
import { recordChanges } from "../generate/generated-record.ts";
import { Installer } from "../scaffold/installer.ts";
import { toAppManifest, toAppTsconfig } from "../scaffold/manifest.ts";
import { checkoutCheck, readCheckoutCheck, readOrigin, toAppReadme } from "../scaffold/origin.ts";
import { type AppTemplate, readTemplate } from "../templates.ts";

export interface NewApp {
  readonly name: string;
  /** The folder of the application, from `locate()`. */
  readonly target: string;
  readonly template: AppTemplate;
  readonly install: boolean;
  readonly signal: AbortSignal;
}

export class AppsService {
  readonly #installer = inject(Installer);

  checkFolder(folder: string): void {
    if (!isFolder(folder)) throw new HttpError(404, `there is no folder ${folder}`);
  }

  /** The folder for an application of this name. */
  locate(folder: string, name: string): string {
    this.checkFolder(folder);
    const target = join(folder, name);
    if (exists(target)) throw new HttpError(409, `${target} exists already: nothing was changed`);
    return target;
  }

  /** Yields a line for each step. */
  async *create({ name, target, template, install, signal }: NewApp): AsyncGenerator<string> {
    const origin = readOrigin();
    const files = await readTemplate(template, new Map([["my-app", name]]));
    for (const [path, edit] of [
      ["package.json", toAppManifest],
      ["tsconfig.json", toAppTsconfig],
      ["README.md", toAppReadme],
    ] as const) {
      files.set(path, edit(files.get(path) ?? "", origin));
    }
    const check = readCheckoutCheck(origin);
    if (check !== undefined) files.set(checkoutCheck, check);
    const changes = [...files].map(([path, after]) => ({ path, before: undefined, after }));
    const examples = changes.filter(({ path }) => /\/greetings[./]/.test(path));
    applyChanges(target, [...changes, recordChanges(target, "module greetings", examples)]); // for tenon destroy
    for (const change of changes) yield describeChange(change, `${name}/`);
    if (install) {
      yield "running  npm install\n";
      await this.#installer.install(target, signal);
    }
    const path = relative("", target);
    const shown = path.startsWith("..") ? target : path;
    const steps = [
      `cd ${/^[\w./:\\-]+$/.test(shown) ? shown : `"${shown}"`}`,
      ...(install ? [] : ["npm install"]),
      template === "cli" ? "npm start" : "npm run dev",
      "npm test",
    ];
    yield `\n${name} is ready. Next:\n${steps.map((step) => `  ${step}\n`).join("")}`;
  }
}
