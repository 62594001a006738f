import { HttpError, inject } from "@tenon/core";
import { Installer } from "../../scaffold/installer.ts";
import { readTemplate } from "../../templates.ts";
import {
  addPackages,
  checkApplication,
  checkMissing,
  findRouteGuard,
  hasLogin,
  readAppName,
  readIfPresent,
} from "../application.ts";
import type { Generation } from "../generator-flags.ts";
import { type HandlerKind, isForKinds, readHandlerKinds, toKindsModel } from "../handler-kinds.ts";
import { installAndWrite } from "../install-and-write.ts";
import { OpenRoutes } from "../open-routes.ts";
import { findPagesRoot } from "../pages-root.ts";
import { jobsModule, readSharedModule } from "../shared-modules.ts";
import { followsPort, toAccountsWiring, toVariables } from "./accounts-wiring.ts";
import { toAuthChanges } from "./auth-changes.ts";

/** Adds mail and accounts to an application with users. */
export class AccountsService {
  readonly #installer = inject(Installer);
  readonly #openRoutes = inject(OpenRoutes);

  /** Throws before the first file is written. The result yields a line for each step. */
  async create(accounts: Generation): Promise<AsyncIterable<string>> {
    const { folder } = accounts;
    checkApplication(folder);
    const kinds = new Set([...readHandlerKinds(folder)].filter((kind) => kind !== "commands"));
    checkUsers(folder, kinds);
    checkMissing(folder, "src/accounts.module.ts");
    const files = await readFiles(folder, kinds);
    const open = await this.#openRoutes.explain(folder, accounts.signal); // before it needs packages that are not installed
    const manifest = addPackages(folder, ["accounts", "jobs", "mail"]);
    const changes = await toAuthChanges(folder, kinds);
    return installAndWrite(this.#installer, {
      ...accounts,
      files,
      manifest,
      wiring: [...changes, ...toAccountsWiring(folder, kinds)],
      summary: toSummary(folder, kinds, open),
      steps: ["npm test", kinds.size === 2 ? "npm run dev:web" : "npm run dev"],
    });
  }
}

function checkUsers(folder: string, kinds: ReadonlySet<HandlerKind>): void {
  if (kinds.size === 0) {
    throw new HttpError(409, "g accounts needs src/main.api.ts or src/main.web.ts: nothing was changed");
  }
  const service = readIfPresent(folder, "src/users/users.service.ts");
  if (findRouteGuard(folder) === undefined || service === undefined) {
    throw new HttpError(409, "g accounts needs users who log in: run tenon g auth first; nothing was changed");
  }
  if (kinds.has("pages") && !hasLogin(folder)) {
    throw new HttpError(409, "g accounts needs the login pages of tenon g auth: nothing was changed");
  }
}

async function readFiles(folder: string, kinds: ReadonlySet<HandlerKind>): Promise<Map<string, string>> {
  const files = await readTemplate("module-accounts", {
    isWanted: (path) => /^(?:views\/mail|test\/support)\//.test(path) || isForKinds(kinds, "resource", path),
    names: new Map([["my-app", readAppName(folder)]]),
    model: {
      ...toKindsModel(kinds),
      sessions: findRouteGuard(folder) === "SessionAuth",
      root: findPagesRoot(folder),
      followsPort: followsPort(folder, kinds),
    },
  });
  return new Map([...files, ...(await readSharedModule(folder, jobsModule))]);
}

function toSummary(folder: string, kinds: ReadonlySet<HandlerKind>, open: readonly string[]): string {
  const start = kinds.has("pages")
    ? "Register at /register. The mail with the link is on the page Mail of the devtools, whose address npm run dev prints."
    : "Send POST /auth/register. The mail with the link is on the page Mail of the devtools, whose address npm run dev prints.";
  const links = kinds.has("pages") ? [] : ["The links of the mails lead to your front end, at BASE_URL."];
  return [
    "Users get mails, and can verify their address, recover their password and add a second factor.",
    `${start} In development mails are files in data/mail.`,
    ...links,
    ...open,
    `In production, set ${toVariables(folder, kinds)
      .map(({ name }) => name)
      .join(", ")}.`,
  ].join("\n");
}
