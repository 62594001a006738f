import {
  appModuleFile,
  linkAccount,
  pagesModuleFile,
  readIfPresent,
  type WiredClass,
  type Wiring,
  wire,
  wireTable,
} from "./application.ts";
import { addToPlatform } from "./edit-platform.ts";
import type { HandlerKind } from "./handler-kinds.ts";
import { findPagesRoot } from "./pages-root.ts";

/** What `tenon g auth` changes in files that exist. */
export function toAuthWiring(folder: string, kinds: ReadonlySet<HandlerKind>, usesSessionSecret: boolean): Wiring[] {
  const wiring: Wiring[] = [wireTable(folder, { name: "users", type: "User", path: "../users/users.record.ts" })];
  const root = kinds.has("pages") ? findPagesRoot(folder) : undefined;
  // the module that the pages start with sees the sessions, for the middleware CurrentUser
  const inRoot = (start: string): WiredClass => ({
    list: "imports",
    name: "AuthModule",
    path: `${start}auth.module.ts`,
  });
  const users: WiredClass = { list: "imports", name: "UsersModule", path: "./users/users.module.ts" };
  wiring.push(wire(folder, appModuleFile, root?.moduleFile === appModuleFile ? [inRoot("./"), users] : [users]));
  if (root?.moduleFile === pagesModuleFile) {
    const declared = (["Pages", "Service"] as const).map((role): WiredClass => {
      return { list: "declarations", name: `Users${role}`, path: `../users/users.${role.toLowerCase()}.ts` };
    });
    wiring.push(wire(folder, pagesModuleFile, [inRoot("../"), ...declared]));
  }
  if (root !== undefined) wiring.push(wirePlatform(folder, root.platformFile), linkAccount(folder));
  return usesSessionSecret ? wiring : [...wiring, ...declareSecret(folder)];
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

const exampleLines = `
# Signs the tokens: at least 32 random bytes, openssl rand -base64 32. Required in production and by compose.yaml;
# in development one is created in data/jwt-secret.
#JWT_SECRET=
`;

const composeLine = `      JWT_SECRET: \${JWT_SECRET:-} # from .env; without it the application does not start\n`;

/** Names JWT_SECRET in the files for deployment, where they are as the template made them. */
function declareSecret(folder: string): Wiring[] {
  const changes: readonly (readonly [path: string, edit: (text: string) => string])[] = [
    [".env.example", (text) => `${text}${exampleLines}`],
    ["compose.yaml", (text) => text.replace(/ +REDIS_URL: .*\n/, (line) => `${line}${composeLine}`)],
  ];
  return changes.flatMap(([path, edit]) => {
    const before = readIfPresent(folder, path);
    const after = before === undefined || before.includes("JWT_SECRET") ? before : edit(before);
    return after === before ? [] : [{ path, before, after, note: "has JWT_SECRET" }];
  });
}

export function removeSecret(text: string): string {
  return text.replace(exampleLines, "").replace(composeLine, "");
}
