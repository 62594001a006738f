import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HttpError, inject } from "@tenon/core";
import { exists } from "../files.ts";
import { Installer } from "../installer.ts";
import { addDependencies } from "../manifest.ts";
import { readOrigin } from "../origin.ts";
import { readTemplate } from "../templates.ts";
import { appModuleFile, checkApplication, checkDataModule, dataModuleFile, wire } from "./application.ts";
import { applyChanges, type Change, describeChange } from "./changes.ts";
import { recordChanges } from "./generated-record.ts";
import { readHandlerKinds } from "./handler-kinds.ts";

export interface NewAuth {
  /** The folder of the application. */
  readonly folder: string;
  readonly install: boolean;
  readonly signal: AbortSignal;
}

/** Adds users, registration and login to an application that serves routes. */
export class AuthService {
  readonly #installer = inject(Installer);

  /** Throws before the first file is written. The result yields a line for each step. */
  async create(auth: NewAuth): Promise<AsyncIterable<string>> {
    const { folder } = auth;
    checkApplication(folder);
    if (!readHandlerKinds(folder).has("routes")) {
      throw new HttpError(409, "g auth needs the routes of src/main.api.ts: nothing was changed");
    }
    const files = await readTemplate("module-auth", new Map([["sample-items", "users"]]));
    if (exists(join(folder, dataModuleFile)) && files.delete(dataModuleFile)) checkDataModule(folder);
    const present = ["src/users", ...files.keys()].find((path) => exists(join(folder, path)));
    if (present !== undefined) throw new HttpError(409, `${present} exists already: nothing was changed`);
    return this.#write(auth, files);
  }

  async *#write({ folder, install, signal }: NewAuth, files: ReadonlyMap<string, string>): AsyncGenerator<string> {
    const before = readFileSync(join(folder, "package.json"), "utf8");
    const after = addDependencies(before, readOrigin(), ["auth", "data"]);
    const wiring = wire(folder, appModuleFile, "imports", [{ name: "UsersModule", path: "./users/users.module.ts" }]);
    const changes: Change[] = [
      ...[...files].map(([path, text]) => ({ path, before: undefined, after: text })),
      ...(after === undefined ? [] : [{ path: "package.json", before, after, note: "depends on @tenon/auth" }]),
      ...("path" in wiring ? [wiring] : []),
    ];
    const own = changes.filter(({ path }) => path !== dataModuleFile); // resources share it
    applyChanges(folder, [...changes, recordChanges(folder, "module users", own)]);
    for (const change of changes) yield describeChange(change);
    if ("byHand" in wiring) yield wiring.byHand;
    if (after !== undefined && install) {
      yield "running  npm install\n";
      await this.#installer.install(folder, signal);
    }
    const steps = [...(after !== undefined && !install ? ["npm install"] : []), "npm test", "npm start"];
    yield `\nUsers can register and log in. To guard a route, import AuthModule of src/auth.module.ts into its module and list BearerAuth in its middlewares. In production, set JWT_SECRET. Next:\n${steps.map((step) => `  ${step}\n`).join("")}`;
  }
}
