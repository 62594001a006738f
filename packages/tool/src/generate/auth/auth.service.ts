import { HttpError, inject } from "@tenon/core";
import { Installer } from "../../scaffold/installer.ts";
import { addPackages, checkApplication, checkMissing } from "../application.ts";
import { write } from "../edit/changes.ts";
import { type HandlerKind, readHandlerKinds } from "../handler-kinds.ts";
import { findPagesRoot } from "../pages-root.ts";
import { readDataModule } from "../shared-modules.ts";
import { hasSessionSecret, readAuthFiles } from "./auth-files.ts";
import { toAuthWiring } from "./auth-wiring.ts";

export interface NewAuth {
  /** The folder of the application. */
  readonly folder: string;
  /** Whether routes take the cookie of a session instead of a token. Pages always do. */
  readonly sessions: boolean;
  readonly install: boolean;
  readonly signal: AbortSignal;
}

/** Adds users, registration, login and guards to an application that serves routes or pages. */
export class AuthService {
  readonly #installer = inject(Installer);

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
    const manifest = addPackages(folder, ["auth", "data"]);
    const lines = write(folder, files, [...manifest, ...toAuthWiring(folder, kinds, signsTokens)]);
    return this.#installer.finish({
      ...auth,
      lines,
      summary: toSummary(kinds, sessions, signsTokens),
      steps: [...manifest.map(() => "npm install"), "npm test", "npm start"],
    });
  }
}

function toSummary(kinds: ReadonlySet<HandlerKind>, sessions: boolean, signsTokens: boolean): string {
  const guards = [
    ...(kinds.has("routes") ? [`${sessions ? "SessionAuth" : "BearerAuth"} of @tenon/auth for routes`] : []),
    ...(kinds.has("pages") ? ["RequireLogin of src/users/require-login.ts for pages"] : []),
  ].join(", ");
  const lines = [
    "Users can register and log in. Resources that are generated from now on are guarded.",
    `To guard others, import AuthModule into their module and list a guard in their middlewares: ${guards}.`,
    "To make the first administrator, run npx tenon run users admin <email>.",
    ...(signsTokens ? ["In production, set JWT_SECRET."] : []),
  ];
  return lines.join("\n");
}
