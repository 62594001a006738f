import { join, relative } from "node:path";
import { HttpError, inject } from "@tenon/core";
import { exists, isFolder } from "../files.ts";
import { applyChanges, describeChange } from "../generate/edit/changes.ts";
import { type HandlerKind, toKindsModel } from "../generate/handler-kinds.ts";
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

  /** Throws before the first file is written. The result yields a line for each step. */
  async create({ name, target, template, install, signal }: NewApp): Promise<AsyncIterable<string>> {
    const origin = readOrigin();
    const files = await readApplication(name, template);
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
    applyChanges(target, changes);
    const path = relative("", target);
    const shown = path.startsWith("..") ? target : path;
    const steps = [
      `cd ${/^[\w./:\\-]+$/.test(shown) ? shown : `"${shown}"`}`,
      "npm install",
      template === "cli" ? "npm start" : "npm run dev",
      "npm test",
    ];
    const lines = changes.map((change) => describeChange(change, `${name}/`));
    return this.#installer.finish({ lines, summary: `${name} is ready.`, steps, folder: target, install, signal });
  }
}

const served: Readonly<Record<AppTemplate, readonly HandlerKind[]>> = {
  api: ["routes"],
  web: ["pages"],
  cli: ["commands"],
  full: ["routes", "pages", "commands"],
};

/** The code of a template, and the files that all applications have. */
async function readApplication(name: string, template: AppTemplate): Promise<Map<string, string>> {
  const names = new Map([["my-app", name]]);
  const kinds = toKindsModel(new Set(served[template]));
  const isWanted = (path: string) => kinds.pages || !/^(?:views|assets)\//.test(path);
  const model = { ...kinds, listens: kinds.routes || kinds.pages };
  const files = [
    ...(await readTemplate("app", { names, isWanted, model })),
    ...(await readTemplate(template, { names })),
  ];
  return new Map(files.sort(([a], [b]) => (a < b ? -1 : 1)));
}
