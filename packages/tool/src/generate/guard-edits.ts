import { addToModule } from "./edit-module.ts";

/** What of a new resource is guarded. */
export interface Guards {
  readonly routes: boolean;
  readonly pages: boolean;
}

/** Guards what writes, and logs the tests in. The names of the template are in the texts. */
export function addGuards({ routes, pages }: Guards, path: string, text: string): string {
  if (path.endsWith("-items.module.ts") && (routes || pages)) {
    return addToModule(text, "imports", { name: "AuthModule", path: "../auth.module.ts" }) ?? text;
  }
  if (pages && path.endsWith(".pages.ts")) return guardPages(text);
  if (pages && path.endsWith(".pages.test.ts")) return addLogin(text);
  if (routes && path.endsWith(".controller.ts")) return guardRoutes(text);
  return routes && /^test\/[^.]+\.test\.ts$/.test(path) ? addToken(text) : text;
}

function guardRoutes(text: string): string {
  return `import { BearerAuth } from "@tenon/auth";\n${guard(text, /"(?:POST|PUT|DELETE)", .*/, "BearerAuth")}`;
}

/** The pages that only read stay open. */
function guardPages(text: string): string {
  const statement = 'import { RequireLogin } from "../users/require-login.ts";\n';
  const guarded = guard(text, /.*this\.(?!index|show)\w+/, "RequireLogin");
  return guarded.replace(/^import .* from "\.\/sample-items\.dto\.ts";$/m, (line) => `${statement}${line}`);
}

/** Adds a guard to the routes that match. */
function guard(text: string, route: RegExp, name: string): string {
  const pattern = new RegExp(`(\\{ method: ${route.source}) \\}`, "g");
  return text.replaceAll(pattern, (_, start: string) => `${start}, middlewares: [${name}] }`);
}

const authImport = (names: string) => `import { ${names} } from "@tenon/auth";\n`;
const started = /after\(\(\) => app\.stop\(\)\);\n(?:await createReferences\(app\);\n)?/;

function addToken(text: string): string {
  return text
    .replace(/^import .* from "@tenon\/core";$/m, (line) => `${authImport("Tokens")}${line}`)
    .replaceAll(/\{ json(: \w+|: \{\})? \}\)/g, (_, value = "") => `{ json${value}, headers })`)
    .replaceAll(
      /(request\("DELETE", `[^`]*`|request\(method, "[^"]*")\)/g,
      (_, call: string) => `${call}, { headers })`,
    )
    .replace(
      started,
      (lines) =>
        `${lines}\nconst token = await app.get(Tokens).issue({ id: "user", email: "user@example.com", role: "user" });\nconst headers = { authorization: \`Bearer \${token}\` };\n`,
    )
    .concat(
      '\ntest("POST /sample-items responds with 401 without a token", async () => {\n',
      '  assert.equal((await app.request("POST", "/sample-items", { json: first })).status, 401);\n});\n',
    );
}

function addLogin(text: string): string {
  return text
    .replace(/^import .* from "@tenon\/core\/testing";$/m, (line) => `${authImport("Sessions, sessionCookie")}${line}`)
    .replace(
      /\/\*\* The cookie and.*\nconst opened = .*\nconst cookie = .*\n/,
      () => `/** The cookies and the CSRF token of a user who has opened a page with a form. */
const login = \`\${sessionCookie}=\${await app.get(Sessions).create("user")}\`;
const opened = await app.request("GET", "/sample-items/new", { headers: { cookie: login } });
const cookie = \`\${login}; \${opened.headers.get("set-cookie")?.split(";")[0]}\`;
`,
    )
    .concat(`
test("redirects visitors who are not logged in to the login", async () => {
  for (const path of ["/sample-items/new", "/sample-items/1/edit", "/sample-items/1/delete"]) {
    const response = await app.request("GET", path);
    assert.equal(response.headers.get("location"), \`/login?next=\${encodeURIComponent(path)}\`);
  }
  assert.equal((await app.request("GET", "/sample-items")).status, 200);
});
`);
}
