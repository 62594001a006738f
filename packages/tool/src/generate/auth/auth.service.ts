import { HttpError, inject } from "@tenon/core";
import { Installer } from "../../scaffold/installer.ts";
import { addPackages, checkApplication, checkMissing } from "../application.ts";
import type { Generation } from "../generator-flags.ts";
import { type HandlerKind, readHandlerKinds } from "../handler-kinds.ts";
import { installAndWrite } from "../install-and-write.ts";
import { OpenRoutes } from "../open-routes.ts";
import { findPagesRoot } from "../pages-root.ts";
import { readDataModule } from "../shared-modules.ts";
import { hasSessionSecret, readAuthFiles } from "./auth-files.ts";
import { toAuthWiring } from "./auth-wiring.ts";

export interface NewAuth extends Generation {
  /** Whether routes take the cookie of a session instead of a token. Pages always do. */
  readonly sessions: boolean;
}

/** Adds users, registration, login and guards to an application that serves routes or pages. */
export class AuthService {
  readonly #installer = inject(Installer);
  readonly #openRoutes = inject(OpenRoutes);

  /** Throws before the first file is written. The result yields a line for each step. */
  async create(auth: NewAuth): Promise<AsyncIterable<string>> {
    const { folder, sessions } = auth;
    checkApplication(folder);
    const kinds = new Set([...readHandlerKinds(folder)].filter((kind) => kind !== "commands"));
    if (kinds.size === 0) {
      throw new HttpError(409, "g auth needs src/main.api.ts or src/main.web.ts: nothing was changed");
    }
    if (kinds.has("pages") && findPagesRoot(folder) === undefined) {
      throw new HttpError(409, "src/platform.ts exports no function createPlatform: nothing was changed");
    }
    const files = new Map([
      ...(await readAuthFiles(folder, kinds, { sessions, accounts: false })),
      ...(await readDataModule(folder)),
    ]);
    checkMissing(folder, "src/users");
    const signsTokens = !sessions && !hasSessionSecret(folder);
    const open = await this.#openRoutes.explain(folder, auth.signal); // before it needs packages that are not installed
    const manifest = addPackages(folder, ["auth", "data"]);
    return installAndWrite(this.#installer, {
      ...auth,
      files,
      manifest,
      wiring: toAuthWiring(folder, kinds, signsTokens),
      summary: toSummary(kinds, { sessions, signsTokens, open }),
      steps: ["npm test", "npm start"],
    });
  }
}

interface Summary {
  readonly sessions: boolean;
  readonly signsTokens: boolean;
  readonly open: readonly string[];
}

function toSummary(kinds: ReadonlySet<HandlerKind>, { sessions, signsTokens, open }: Summary): string {
  const guard = sessions ? "SessionAuth" : "BearerAuth";
  const lines = [
    "Users can register and log in. Resources that are generated from now on are guarded.",
    ...open,
    "To guard a route, import AuthModule of src/auth.module.ts into its module, and write in its contract:",
    ...(kinds.has("routes") ? [`  middlewares: [${guard}], access: "users"   (a route; ${guard} of @tenon/auth)`] : []),
    ...(kinds.has("pages")
      ? ['  middlewares: [RequireLogin], access: "users"   (a page; RequireLogin of src/users/require-login.ts)']
      : []),
    'Where no login is needed, write access: "public". npx tenon routes --audit finds what is left.',
    "To make the first administrator, run npx tenon run users admin <email>.",
    ...(signsTokens ? ["In production, set JWT_SECRET."] : []),
  ];
  return lines.join("\n");
}
