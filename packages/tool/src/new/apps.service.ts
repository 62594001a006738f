import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative, resolve } from "node:path";
import { HttpError, inject } from "@tenon/core";
import { exists, isFolder } from "../files.ts";
import { AccountsService } from "../generate/accounts/accounts.service.ts";
import { AuthService } from "../generate/auth/auth.service.ts";
import { applyChanges, describeChange } from "../generate/edit/changes.ts";
import { type HandlerKind, toKindsModel } from "../generate/handler-kinds.ts";
import { Installer } from "../scaffold/installer.ts";
import { MachineNode } from "../scaffold/machine-node.ts";
import { type AppParts, toAppManifest, toAppTsconfig } from "../scaffold/manifest.ts";
import { checkoutCheck, readCheckoutCheck, readOrigin, toAppReadme } from "../scaffold/origin.ts";
import { type AppTemplate, readTemplate } from "../templates.ts";

export interface NewApp {
  readonly name: string;
  /** The folder of the application, from `locate()`. */
  readonly target: string;
  readonly template: AppTemplate;
  readonly lint: boolean;
  /** Whether the template `full` has users, mail and accounts. The others have none. */
  readonly accounts: boolean;
  readonly install: boolean;
  readonly signal: AbortSignal;
}

export class AppsService {
  readonly #installer = inject(Installer);
  readonly #node = inject(MachineNode);
  readonly #auth = inject(AuthService);
  readonly #accounts = inject(AccountsService);

  checkFolder(folder: string): void {
    if (!isFolder(folder)) throw new HttpError(404, `there is no folder ${folder}`);
  }

  /** The folder of an application. One that exists may contain hidden files only, such as those of Git. */
  locate(folder: string, path: string): string {
    this.checkFolder(folder);
    const target = resolve(folder, path);
    // they would break the lines that are printed
    if (/[\0-\x1f\x7f]/.test(target)) throw new HttpError(400, "the path has control characters: nothing was changed");
    if (!exists(target)) return target;
    if (!lstatSync(target).isDirectory()) throw new HttpError(409, `${target} exists already: nothing was changed`);
    const found = readdirSync(target).filter((name) => !name.startsWith("."));
    if (found.length === 0) return target;
    throw new HttpError(409, `${target} exists already and is not empty: nothing was changed`);
  }

  /** Throws before the first file is written. The result yields a line for each step. */
  async create({ name, target, template, lint, accounts, install, signal }: NewApp): Promise<AsyncIterable<string>> {
    const parts = { lint, ownNode: this.#node.isTooOld };
    const hasAccounts = template === "full" && accounts;
    const base = await readComplete(name, template, parts, hasAccounts);
    const files = hasAccounts ? await this.#addAccounts(base, signal) : base;
    const changes = [...files].map(([path, after]) => ({ path, before: undefined, after }));
    applyChanges(target, changes);
    const path = relative("", target);
    const shown = path.startsWith("..") ? target : path;
    const steps = [
      ...(shown === "" ? [] : [`cd ${quote(shown)}`]),
      "npm install",
      template === "cli" ? "npm start" : "npm run dev",
      ...(template === "full" ? ["npm run dev:web"] : []),
      "npm test",
    ];
    const lines = changes.map((change) => describeChange(change, shown === "" ? "" : `${basename(target)}/`));
    const summary = hasAccounts ? `${name} is ready.\n${accountsSummary}` : `${name} is ready.`;
    return this.#installer.finish({ lines, summary, steps, folder: target, install, signal });
  }

  /** Runs the generators of users and accounts in a temporary folder: they edit files of an application. */
  async #addAccounts(files: ReadonlyMap<string, string>, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const folder = mkdtempSync(join(tmpdir(), "tenon-new-"));
    try {
      applyChanges(
        folder,
        [...files].map(([path, after]) => ({ path, before: undefined, after })),
      );
      await Array.fromAsync(await this.#auth.create({ folder, sessions: false, install: false, signal }));
      await Array.fromAsync(await this.#accounts.create({ folder, install: false, signal }));
      return readFolder(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

const accountsSummary = `Register at /register of the pages. The mail with the link is on the page Mail of the devtools, whose address npm run dev:web prints.
In production, set SESSION_SECRET, MAIL_URL, MAIL_FROM and BASE_URL.`;

/** The template with its package.json, tsconfig.json and README.md for where the packages come from. */
async function readComplete(
  name: string,
  template: AppTemplate,
  parts: AppParts,
  accounts: boolean,
): Promise<Map<string, string>> {
  const origin = readOrigin();
  const files = await readApplication(name, template, parts, accounts);
  for (const [path, edit] of [
    ["package.json", toAppManifest],
    ["tsconfig.json", toAppTsconfig],
    ["README.md", toAppReadme],
  ] as const) {
    files.set(path, edit(files.get(path) ?? "", origin, parts));
  }
  const check = readCheckoutCheck(origin);
  if (check !== undefined) files.set(checkoutCheck, check);
  return files;
}

/** The files below a folder, those with a dot included. */
function readFolder(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [relative(folder, file).replaceAll("\\", "/"), readFileSync(file, "utf8")] as const);
  return new Map(files.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const served: Readonly<Record<AppTemplate, readonly HandlerKind[]>> = {
  api: ["routes"],
  web: ["pages"],
  cli: ["commands"],
  full: ["routes", "pages", "commands"],
};

/** The code of a template, and the files that all applications have. */
async function readApplication(
  name: string,
  template: AppTemplate,
  parts: AppParts,
  accounts: boolean,
): Promise<Map<string, string>> {
  const names = new Map([["my-app", name]]);
  const kinds = toKindsModel(new Set(served[template]));
  const isWanted = (path: string) =>
    (kinds.pages || !/^(?:views|assets)\//.test(path)) &&
    (parts.lint || path !== "biome.json") &&
    (!parts.ownNode || path !== "nvmrc");
  const model = { ...kinds, ...parts, accounts, listens: kinds.routes || kinds.pages };
  const files = [
    ...(await readTemplate("app", { names, isWanted, model })),
    ...(await readTemplate(template, { names, model })),
  ];
  return new Map(files.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A path as a word of a shell. */
function quote(path: string): string {
  if (/^[\w./:\\-]+$/.test(path)) return path;
  // a shell would run what is in the path
  return /["$`!]/.test(path) ? `'${path.replaceAll("'", "'\\''")}'` : `"${path}"`;
}
