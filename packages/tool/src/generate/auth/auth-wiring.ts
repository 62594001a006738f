import {
  appModuleFile,
  linkAccount,
  pagesModuleFile,
  readIfPresent,
  removeFromWelcome,
  type WiredClass,
  wire,
  wireTable,
} from "../application.ts";
import type { Wiring } from "../edit/changes.ts";
import { addToPlatform } from "../edit/edit-platform.ts";
import type { HandlerKind } from "../handler-kinds.ts";
import { findPagesRoot } from "../pages-root.ts";
import { declareVariables, type Variable } from "../variables.ts";

/** What `tenon g auth` changes in files that exist. */
export function toAuthWiring(folder: string, kinds: ReadonlySet<HandlerKind>, signsTokens: boolean): Wiring[] {
  const wiring: Wiring[] = [wireTable(folder, { name: "users", type: "StoredUser", path: "../users/users.dto.ts" })];
  const root = kinds.has("pages") ? findPagesRoot(folder) : undefined;
  // the modules that declare guarded classes, or that pages start with, see the guards and sessions
  const inRoot = (start: string): WiredClass => ({
    list: "imports",
    name: "AuthModule",
    path: `${start}auth.module.ts`,
  });
  const ofUsers = (role: string, start: string): WiredClass => ({
    list: role === "Module" ? "imports" : "declarations",
    name: `Users${role}`,
    path: `${start}users/users.${role.toLowerCase()}.ts`,
  });
  const isSplit = root?.moduleFile === pagesModuleFile;
  const inApp = isSplit ? ["Module", "Controller", "Commands"] : ["Module"];
  const added = inApp.map((role) => ofUsers(role, "./"));
  wiring.push(wire(folder, appModuleFile, root === undefined ? added : [inRoot("./"), ...added]));
  if (isSplit) {
    wiring.push(wire(folder, pagesModuleFile, [inRoot("../"), ofUsers("Module", "../"), ofUsers("Pages", "../")]));
  }
  if (root !== undefined) wiring.push(wirePlatform(folder, root.platformFile), linkAccount(folder));
  wiring.push(...removeFromWelcome(folder, "g auth"));
  return [...wiring, ...declareVariables(folder, signsTokens ? [jwtSecret, bcryptCost] : [bcryptCost])];
}

/** Every page shows who is logged in. */
function wirePlatform(folder: string, path: string): Wiring {
  const added = {
    middleware: "CurrentUser",
    share: "shareUser",
    path: path.startsWith("src/pages/") ? "../users/current-user.ts" : "./users/current-user.ts",
  };
  const before = readIfPresent(folder, path);
  const after = before === undefined ? undefined : addToPlatform(before, added);
  if (after !== undefined) return { path, before, after, note: "shows who is logged in" };
  return {
    byHand: [
      `\n${path} could not be edited and is unchanged. Add to web():\n`,
      `  import { CurrentUser, shareUser } from "${added.path}";\n`,
      "  middlewares: [… WebSessions, CurrentUser],\n  share: shareUser,\n",
    ].join(""),
  };
}

const bcryptCost: Variable = {
  name: "BCRYPT_COST",
  example: `
# The cost of a password hash, 10 to 15: each step doubles the time of a login
#BCRYPT_COST=12
`,
  comment: "from .env",
};
const jwtSecret: Variable = {
  name: "JWT_SECRET",
  example: `
# Signs the tokens: at least 32 random bytes, openssl rand -base64 32. Required in production and by compose.yaml;
# in development one is created in data/jwt-secret.
#JWT_SECRET=
`,
  comment: "from .env; without it the application does not start",
};
