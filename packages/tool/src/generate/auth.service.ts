import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HttpError, inject } from "@tenon/core";
import { exists } from "../files.ts";
import { Installer } from "../scaffold/installer.ts";
import { addDependencies } from "../scaffold/manifest.ts";
import { readOrigin } from "../scaffold/origin.ts";
import { readTemplate } from "../templates.ts";
import {
  checkApplication,
  checkDataModule,
  dataModuleFile,
  isShared,
  isStandIn,
  readIfPresent,
} from "./application.ts";
import { toAuthWiring } from "./auth-wiring.ts";
import { applyChanges, type Change, describeChange } from "./changes.ts";
import { removeFromModule } from "./edit-module.ts";
import { recordChanges } from "./generated-record.ts";
import { type HandlerKind, isForKinds, readHandlerKinds } from "./handler-kinds.ts";
import { findPagesRoot, useRoot } from "./pages-root.ts";

export interface NewAuth {
  /** The folder of the application. */
  readonly folder: string;
  readonly install: boolean;
  readonly signal: AbortSignal;
}

/** Adds users, registration, login and guards to an application that serves routes or pages. */
export class AuthService {
  readonly #installer = inject(Installer);

  /** Throws before the first file is written. The result yields a line for each step. */
  async create(auth: NewAuth): Promise<AsyncIterable<string>> {
    const { folder } = auth;
    checkApplication(folder);
    const kinds = new Set([...readHandlerKinds(folder)].filter((kind) => kind !== "commands"));
    if (kinds.size === 0) {
      throw new HttpError(409, "g auth needs src/main.api.ts or src/main.web.ts: nothing was changed");
    }
    if (kinds.has("pages") && findPagesRoot(folder) === undefined) {
      throw new HttpError(409, "src/platform.ts exports no function createPlatform: nothing was changed");
    }
    const files = await readFiles(folder, kinds);
    if (exists(join(folder, dataModuleFile)) && files.delete(dataModuleFile)) checkDataModule(folder);
    const present = ["src/users", ...files.keys()].find((path) => exists(join(folder, path)));
    if (present !== undefined) throw new HttpError(409, `${present} exists already: nothing was changed`);
    return this.#write(auth, files, kinds);
  }

  async *#write(
    { folder, install, signal }: NewAuth,
    files: ReadonlyMap<string, string>,
    kinds: ReadonlySet<HandlerKind>,
  ): AsyncGenerator<string> {
    const before = readFileSync(join(folder, "package.json"), "utf8");
    const after = addDependencies(before, readOrigin(), ["auth", "data"]);
    const usesSessionSecret = hasSessionSecret(folder);
    const wiring = toAuthWiring(folder, kinds, usesSessionSecret);
    const changes: Change[] = [
      ...[...files].map(([path, text]) => ({ path, before: undefined, after: text })),
      ...(after === undefined ? [] : [{ path: "package.json", before, after, note: "depends on @tenon/auth" }]),
      ...wiring.filter((one) => "path" in one),
    ];
    const own = changes.filter((change) => change.before !== undefined || !isShared(change.path));
    applyChanges(folder, [...changes, recordChanges(folder, "auth users", own)]);
    for (const change of changes) yield describeChange(change);
    for (const one of wiring) if ("byHand" in one) yield one.byHand;
    if (after !== undefined && install) {
      yield "running  npm install\n";
      await this.#installer.install(folder, signal);
    }
    const steps = [...(after !== undefined && !install ? ["npm install"] : []), "npm test", "npm start"];
    yield `\n${toSummary(kinds, usesSessionSecret)}Next:\n${steps.map((step) => `  ${step}\n`).join("")}`;
  }
}

/** Applications with pages have a secret already, which signs the cookies. */
function hasSessionSecret(folder: string): boolean {
  return /\breadSessionSecret\(/.test(readIfPresent(folder, "src/config.ts") ?? "");
}

const authFile = "src/auth.module.ts";
const moduleFile = "src/users/users.module.ts";
/** In the place of the template's, which reads JWT_SECRET. */
const sessionAuthModule = `import { authModule } from "@tenon/auth";
import { Config } from "./config.ts";
import { DataModule } from "./data.module.ts";

/** Passwords, sessions, tokens and guards. The secret of the cookies signs the tokens too. */
export const AuthModule = authModule(DataModule, { secret: Config.readOrExit().readSessionSecret() });
`;

async function readFiles(folder: string, kinds: ReadonlySet<HandlerKind>): Promise<Map<string, string>> {
  const root = findPagesRoot(folder);
  const files = await readTemplate(
    "module-auth",
    new Map([["sample-items", "users"]]),
    (path) => isForKinds(kinds, "resource", path) && !isStandIn(path),
    (_, text) => (root === undefined ? text : useRoot(text, root)),
  );
  if (hasSessionSecret(folder)) files.set(authFile, sessionAuthModule);
  if (kinds.size === 1) return files;
  // the pages are declared in the module of the pages
  return files.set(moduleFile, removeFromModule(files.get(moduleFile) ?? "", "UsersPages") ?? "");
}

function toSummary(kinds: ReadonlySet<HandlerKind>, usesSessionSecret: boolean): string {
  const guards = [
    ...(kinds.has("routes") ? ["BearerAuth of @tenon/auth for routes"] : []),
    ...(kinds.has("pages") ? ["RequireLogin of src/users/require-login.ts for pages"] : []),
  ].join(", ");
  const lines = [
    "Users can register and log in. Resources that are generated from now on are guarded.",
    `To guard others, import AuthModule into their module and list a guard in their middlewares: ${guards}.`,
    ...(usesSessionSecret ? [] : ["In production, set JWT_SECRET."]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}
