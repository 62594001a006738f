import {
  appModuleFile,
  findRouteGuard,
  layoutFile,
  pagesModuleFile,
  readIfPresent,
  removeFromWelcome,
  userName,
  type WiredClass,
  wire,
} from "../application.ts";
import { hasSessionSecret } from "../auth/auth-files.ts";
import type { Wiring } from "../edit/changes.ts";
import type { HandlerKind } from "../handler-kinds.ts";
import { findPagesRoot } from "../pages-root.ts";
import { declareVariables, type Variable } from "../variables.ts";

/** What `tenon g accounts` changes in files that exist, beside those of `tenon g auth`. */
export function toAccountsWiring(folder: string, kinds: ReadonlySet<HandlerKind>): Wiring[] {
  const imported = (name: string, start: string): WiredClass => ({
    list: "imports",
    name,
    path: `${start}accounts.module.ts`,
  });
  const ofApp = kinds.has("routes") ? "AccountRoutesModule" : "AccountPagesModule";
  const wiring = [wire(folder, appModuleFile, [imported(ofApp, "./")])];
  if (findPagesRoot(folder)?.moduleFile === pagesModuleFile) {
    wiring.push(wire(folder, pagesModuleFile, [imported("AccountPagesModule", "../")]));
  }
  wiring.push(...(kinds.has("pages") ? [linkAccountPage(folder)] : copyViews(folder)));
  wiring.push(...removeFromWelcome(folder, "g accounts"));
  return [...wiring, ...declareVariables(folder, toVariables(folder, kinds))];
}

/** The name of the user in the navigation leads to the account. */
function linkAccountPage(folder: string): Wiring {
  const link = '<a href="/account"><%= page.shared.user.email %></a>';
  const before = readIfPresent(folder, layoutFile);
  if (before === undefined || before.split(userName).length !== 2) {
    return { byHand: `\n${layoutFile} could not be edited and is unchanged. Link the account:\n  ${link}\n` };
  }
  return { path: layoutFile, before, after: before.replace(userName, () => link), note: "links /account" };
}

/** The image of an API has no views yet, and the mails are views. */
function copyViews(folder: string): Wiring[] {
  return [
    { path: "Dockerfile", place: "COPY src ./src\n", line: "COPY views ./views\n" },
    { path: ".dockerignore", place: "!src\n", line: "!views\n" },
  ].flatMap(({ path, place, line }): Wiring[] => {
    const before = readIfPresent(folder, path);
    if (before === undefined || before.includes(line)) return [];
    if (before.split(place).length !== 2) return [{ byHand: `\n${path} is unchanged. Add to it:\n  ${line}` }];
    return [
      { path, before, after: before.replace(place, () => `${place}${line}`), note: "has the views of the mails" },
    ];
  });
}

const secondFactorSecret: Variable = {
  name: "SECOND_FACTOR_SECRET",
  example: `
# Encrypts the keys of second factors: at least 32 random bytes, openssl rand -base64 32. Required in production and by
# compose.yaml; in development one is created in data/second-factor-secret.
#SECOND_FACTOR_SECRET=
`,
  comment: "from .env; without it the application does not start",
};

/**
 * Whether links in mails begin with the port of the process in development. With an API and pages, either sends mails,
 * and the links lead to the pages.
 */
export function followsPort(folder: string, kinds: ReadonlySet<HandlerKind>): boolean {
  const config = readIfPresent(folder, "src/config.ts") ?? "";
  return kinds.size === 1 && /\bPORT:/.test(config) && /\bConfigModule\b/.test(config);
}

/** The variables that `tenon g accounts` adds. */
export function toVariables(folder: string, kinds: ReadonlySet<HandlerKind>): Variable[] {
  const needsSecret = findRouteGuard(folder) === "SessionAuth" && !hasSessionSecret(folder);
  const comment = "from .env; without it the application does not start";
  const place = kinds.has("pages") ? "Where browsers reach the pages" : "Where browsers reach your front end";
  const address = followsPort(folder, kinds)
    ? "http://127.0.0.1:<PORT>"
    : `http://127.0.0.1:${kinds.size === 2 ? "8081" : "8080"}: set it for another port, for every process`;
  return [
    ...(needsSecret ? [secondFactorSecret] : []),
    {
      name: "MAIL_URL",
      example: `
# The mail server: smtp://user:password@host:587 or smtps://user:password@host:465. Required in production and by
# compose.yaml; in development mails are files in data/mail, which /_dev/panels/mail shows.
#MAIL_URL=
`,
      comment,
    },
    { name: "MAIL_FROM", example: "# The address that mails come from\n#MAIL_FROM=no-reply@example.com\n", comment },
    {
      name: "BASE_URL",
      example: `# ${place}: links in mails begin with it. Required in production and by compose.yaml;
# in development the default is ${address}.
#BASE_URL=https://example.com
`,
      comment,
    },
  ];
}
