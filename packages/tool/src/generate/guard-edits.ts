import { addToModule } from "./edit-module.ts";

/** Guards the routes of a resource that write, and gives its tests a token. The names of the template are in the texts. */
export function addGuards(path: string, text: string): string {
  if (path.endsWith(".controller.ts")) return guardRoutes(text);
  if (path.endsWith(".module.ts") && path !== "src/data.module.ts") {
    return addToModule(text, "imports", { name: "AuthModule", path: "../auth.module.ts" }) ?? text;
  }
  return /^test\/[^.]+\.test\.ts$/.test(path) ? addToken(text) : text;
}

const authImport = (names: string) => `import { ${names} } from "@tenon/auth";\n`;

function guardRoutes(text: string): string {
  const guarded = text.replaceAll(
    /(\{ method: "(?:POST|PUT|DELETE)", .*handler: this\.\w+) \}/g,
    (_, route: string) => `${route}, middlewares: [BearerAuth] }`,
  );
  return `${authImport("BearerAuth")}${guarded}`;
}

function addToken(text: string): string {
  const stores = 'dataModule({ database: "sqlite::memory:" })';
  const secret = "a secret of at least 32 bytes, for tests";
  return text
    .replace(/^import \{ [^}]* \} from "@tenon\/core";$/m, (line) => `${authImport("authModule, Tokens")}${line}`)
    .replace(`imports: [${stores}]`, `imports: [data, authModule(data, { secret: "${secret}" })]`)
    .replace(/\n(\/\*\* The routes with)/, (_, comment: string) => `\nconst data = ${stores};\n${comment}`)
    .replaceAll(/\{ json(: \w+|: \{\})? \}\)/g, (_, value = "") => `{ json${value}, headers })`)
    .replaceAll(
      /(request\("DELETE", `[^`]*`|request\(method, "[^"]*")\)/g,
      (_, call: string) => `${call}, { headers })`,
    )
    .replace(
      "after(() => app.stop());\n",
      (line) =>
        `${line}\nconst token = await app.get(Tokens).issue({ id: "user", email: "user@example.com", role: "user" });\nconst headers = { authorization: \`Bearer \${token}\` };\n`,
    )
    .concat(
      '\ntest("POST /sample-items responds with 401 without a token", async () => {\n',
      '  assert.equal((await app.request("POST", "/sample-items", { json: first })).status, 401);\n});\n',
    );
}
