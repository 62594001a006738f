import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { ApiKeys, authModule, loginAs, Sessions, sessionCookie } from "@tenon/auth";
import { api, createApp, defineModule, type Module } from "@tenon/core";
import { createTestApp, type TestClient, type TestHttpApp } from "@tenon/core/testing";
import { dataModule } from "@tenon/data";
import { liveModule } from "@tenon/live";
import { web } from "@tenon/web";
import { readBlocks } from "./support/markdown.ts";
import { root, run } from "./support/run.ts";
import { temporaryFolder, writeFiles } from "./support/temporary-folder.ts";

const page = readFileSync(join(root, "docs/authorization.md"), "utf8");
const examples = readBlocks()
  .filter(({ document, info }) => document === "docs/authorization.md" && info === "ts")
  .flatMap(({ code }) => {
    const [, file] = /^\/\/ ([\w.-]+\.ts)$/m.exec(code) ?? [];
    return file === undefined ? [] : [{ file, code }];
  });

interface Claim {
  /** `Request`, or `Request for a page`. */
  readonly kind: string;
  /** ``PATCH /posts/1 {"title":"New"}``. */
  readonly request: string;
  readonly actor: string;
  /** ``403 Forbidden``. */
  readonly response: string;
}

/** The cells of the tables whose first column has requests. */
const claims: readonly Claim[] = page
  .split("\n\n")
  .filter((part) => part.startsWith("| Request"))
  .flatMap((table) => {
    const [[kind = "", ...actors] = [], , ...rows] = table.trim().split("\n").map(toCells);
    return rows.flatMap(([request = "", ...responses]) =>
      responses.flatMap((response, at) =>
        response === "" ? [] : [{ kind, request, actor: actors[at] ?? "", response }],
      ),
    );
  });

const mainOfAudit = `import { authModule } from "@tenon/auth";
import { api, createApp, defineModule } from "@tenon/core";
import { dataModule } from "@tenon/data";
import { PostOwner, PostsController, PostsService } from "./posts.ts";
const data = dataModule({ database: "sqlite::memory:" });
const auth = authModule(data, { secret: "for this test only, 32 bytes long" });
const declarations = [PostsController, PostsService, PostOwner];
await (await createApp(defineModule({ name: "app", imports: [data, auth], declarations }), api())).listen();
`;

function toCells(row: string): string[] {
  const cells = row.split("|").slice(1, -1);
  return cells.map((cell) => cell.replaceAll("`", "").trim());
}

const folder = temporaryFolder("authorization-doc");
const data = dataModule({ database: "sqlite::memory:" });
const auth = authModule(data, { secret: "for this test only, 32 bytes long" });
const imports = [data, auth, liveModule(data)];

/** Everything that examples export is declared in one module. */
async function toModule(files: readonly string[]): Promise<Module> {
  const exported = await Promise.all(files.map((file) => import(pathToFileURL(join(folder, file)).href)));
  return defineModule({ name: "examples", imports, declarations: exported.flatMap((names) => Object.values(names)) });
}

/** The user of a column: `Ada, editor of p1`, `an administrator`, `without a token`. */
async function toClient(app: TestHttpApp, actor: string): Promise<TestClient> {
  const [name = ""] = actor.toLowerCase().split(",");
  if (name.startsWith("without")) return app.client();
  if (name === "an administrator") return loginAs(app, { id: "grace", role: "admin" });
  const scopes = /^a key (?:with (.+)|without scopes)$/.exec(name);
  if (scopes === null) return loginAs(app, { id: name });
  const { key } = await app.get(ApiKeys).create("ada", { scopes: scopes[1] === undefined ? "all" : [scopes[1]] });
  return app.client({ headers: { "x-api-key": key } });
}

async function send(client: TestClient, { request, kind }: Claim): Promise<string> {
  const [, method, path = "", json] = /^(\S+) (\S+)(?: (.*))?$/.exec(request) ?? [];
  const isPage = kind === "Request for a page";
  // an unknown method is refused
  const response = await client.request(method as Parameters<TestClient["request"]>[0], path, {
    ...(json === undefined ? {} : { json: JSON.parse(json) }),
    headers: { accept: isPage ? "text/html" : "*/*" },
  });
  if (response.ok) {
    await response.body?.cancel(); // a stream does not end by itself
    return String(response.status);
  }
  const text = await response.text();
  const message = isPage ? /<h1>(.*?)<\/h1>/.exec(text)?.[1] : (JSON.parse(text) as { error: string }).error; // as errors are
  return `${response.status} ${message}`;
}

// in a group: hooks outside of one run before the tests of all files, and after them
describe("docs/authorization.md", () => {
  let app: TestHttpApp;
  let site: TestHttpApp;

  before(async () => {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    writeFiles(folder, {
      "package.json": '{ "type": "module" }',
      ...Object.fromEntries(examples.map(({ file, code }) => [file, code])),
    });
    const files = examples.map(({ file }) => file).filter((file) => !/^pages|test\.ts$/.test(file));
    app = await createTestApp(await toModule(files), api());
    const engine = { has: (name: string) => name === "posts/edit", render: () => "" };
    site = await createTestApp(await toModule(["posts.ts", "pages.ts"]), web({ views: engine }));
  });

  after(() => Promise.all([app.stop(), site.stop()]));

  test("it claims something about every example", () => {
    assert.ok(claims.length > 40, String(claims.length));
  });

  for (const claim of claims.filter(({ request }) => !request.startsWith("message "))) {
    test(`${claim.request}: ${claim.response} for ${claim.actor}`, async () => {
      const server = claim.kind === "Request for a page" ? site : app;
      assert.equal(await send(await toClient(server, claim.actor), claim), claim.response);
    });
  }

  for (const { request, actor, response } of claims.filter((claim) => claim.request.startsWith("message "))) {
    test(`${request}: ${response} for ${actor}`, async () => {
      const [, message = "", path = ""] = /^message (.*) to (\S+)$/.exec(request) ?? [];
      const server = await createApp(await toModule(["projects.ts", "live.ts"]), api(), { log: { level: "silent" } });
      try {
        const { url } = await server.listen({ host: "127.0.0.1", port: 0, signals: false });
        const session = await server.get(Sessions).create(actor.toLowerCase().split(",")[0] ?? "");
        const options = { headers: { cookie: `${sessionCookie}=${session}` } };
        const socket = new WebSocket(`${url.replace("http", "ws")}${path}`, options);
        await once(socket, "open");
        const received = once(socket, "message");
        socket.send(message);
        const [{ data: text }] = await received;
        const { event, data: error } = JSON.parse(text);
        assert.deepEqual([event, `${error.status} ${error.error}`], ["error", response]);
        assert.equal(socket.readyState, WebSocket.OPEN);
        socket.close();
      } finally {
        await server.stop();
      }
    });
  }

  test("the audit finds the route of the first example without its policy", async () => {
    const posts = examples.find(({ file }) => file === "posts.ts")?.code ?? "";
    assert.match(posts, /\[BearerAuth, PostOwner\]/);
    const application = join(folder, "application");
    writeFiles(application, {
      "package.json": '{ "type": "module", "scripts": { "start": "node src/main.ts" } }',
      "src/posts.ts": posts.replace("[BearerAuth, PostOwner]", "[BearerAuth]"),
      "src/main.ts": mainOfAudit,
    });
    const tool = join(root, "packages/tool/src/main.ts");
    const source = "--conditions=@tenon/source";
    const env = { NODE_OPTIONS: source };
    const audited = await run(process.execPath, [source, tool, "routes", "--audit"], { cwd: application, env });
    const shown = /^\$ npx tenon routes --audit\n(.*?)^```$/ms.exec(page)?.[1];
    assert.deepEqual([audited.code, audited.stdout + audited.stderr], [1, shown]);
  });
});
