import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { commonVersion, readPackages } from "../scripts/release/packages.ts";
import { link, packPackages } from "./support/packed-packages.ts";
import { oneChecker, root, run, runOrFail, tool } from "./support/run.ts";
import { temporaryFolder, writeFiles } from "./support/temporary-folder.ts";

const folder = temporaryFolder("packaging");
const consumer = join(folder, "consumer");
// once for all tests of this file; each of them waits for it and fails with it
const packed = packPackages(join(folder, "workspace"), consumer);
packed.catch(() => {});

test("a package holds its build, its source and its papers, and nothing else", async () => {
  for (const { manifest, files } of await packed) {
    const odd = files.filter(
      (file) =>
        !/^dist\/.+\.(js|d\.ts)(\.map)?$/.test(file) &&
        !/^src\/.+\.ts$/.test(file) &&
        !(manifest.name === "tenon" && file.startsWith("templates/")) &&
        !(manifest.name === "@tenon/devtools" && /^(views\/.+\.eta|assets\/devtools\.(css|js))$/.test(file)) &&
        !(manifest.name === "@tenon/core" && /^docs\/.+\.md$/.test(file)) &&
        file !== `bin/${manifest.name}.mjs` &&
        !["package.json", "README.md", "LICENSE"].includes(file),
    );
    assert.deepEqual(odd, [], manifest.name);
    const sources = files
      .filter((file) => file.startsWith("src/"))
      .map((file) => file.slice(4, -3))
      .sort();
    const built = files
      .filter((file) => /^dist\/.+\.js$/.test(file))
      .map((file) => file.slice(5, -3))
      .sort();
    assert.deepEqual(
      built,
      sources,
      `${manifest.name}: every source file is built, and nothing that is no longer there`,
    );
  }
});

test("every package has the papers and the fields of a published one", async () => {
  const version = commonVersion(readPackages(root));
  for (const { manifest, files, tarball } of await packed) {
    assert.equal(manifest.version, version, manifest.name);
    // npm prints five lines for each package with engines on an older Node: one is enough, and the tool says what to do
    assert.deepEqual(manifest.engines, manifest.name === "@tenon/core" ? { node: ">=24" } : undefined, manifest.name);
    assert.deepEqual(manifest.publishConfig, { access: "public", provenance: true }, manifest.name);
    assert.equal(manifest.license, "MIT", manifest.name);
    assert.ok(manifest.description.endsWith("."), manifest.name);
    for (const file of ["README.md", "LICENSE"]) assert.ok(files.includes(file), `${manifest.name} has ${file}`);
    assert.deepEqual(tarball.files.toSorted(), files.toSorted(), manifest.name);
    for (const [name, range] of Object.entries(manifest.dependencies ?? {})) {
      if (name === "tenon" || name.startsWith("@tenon/")) assert.equal(range, version, `${manifest.name}: ${name}`);
    }
  }
});

test("the links of a README lead to the docs inside the installed packages", async () => {
  for (const { manifest } of await packed) {
    const folder = join(consumer, "node_modules", manifest.name);
    const links = [...readFileSync(join(folder, "README.md"), "utf8").matchAll(/\]\((?!https?:)([^)#]+)/g)];
    assert.ok(links.length > 0, manifest.name);
    for (const [, link = ""] of links) assert.ok(existsSync(join(folder, link)), `${manifest.name}: ${link}`);
  }
});

test("every file that an exports map names is in the package", async () => {
  for (const { manifest, files } of await packed) {
    const named = Object.values(manifest.exports).flatMap((entry) =>
      typeof entry === "string" ? [entry] : Object.values(entry),
    );
    assert.deepEqual(
      named.filter((file) => !files.includes(file.replace("./", ""))),
      [],
      manifest.name,
    );
  }
});

test("the built packages run in a consumer's folder", async () => {
  await packed;
  writeFiles(consumer, {
    "package.json": '{ "type": "module" }',
    "main.js": `
      import { api, createApp, defineModule, inject, Log } from "@tenon/core";
      import { cli } from "@tenon/core/cli";
      import { requestId } from "@tenon/core/middleware";
      import { createTestApp } from "@tenon/core/testing";

      class HelloController {
        log = inject(Log);
        routes() {
          return [
            { method: "GET", path: "/hello/:name", handler: this.hello },
            { path: "hello/:name", handler: this.hello },
          ];
        }
        hello(ctx) {
          this.log.debug("hello");
          return { hello: ctx.param("name") };
        }
      }
      const AppModule = defineModule({ name: "app", declarations: [HelloController] });
      const app = await createApp(AppModule, api({ middlewares: [requestId()] }), { log: { level: "silent" } });
      const { url } = await app.listen({ port: 0 });
      const response = await fetch(url + "/hello/socket");
      await app.stop();
      const inProcess = await (await createTestApp(AppModule, api())).request("GET", "/hello/fetch");
      const command = await (await createTestApp(AppModule, cli({ name: "hello" }))).run(["hello", "shell", "--json"]);
      process.stdout.write(JSON.stringify([import.meta.resolve("@tenon/core"), await response.json(), await inProcess.json(), JSON.parse(command.stdout)]));
    `,
  });
  const [resolved, ...bodies] = JSON.parse(await runOrFail(process.execPath, ["main.js"], { cwd: consumer })) as [
    string,
    ...unknown[],
  ]; // as main.js writes it
  assert.match(resolved, /\/consumer\/node_modules\/@tenon\/core\/dist\/index\.js$/);
  assert.deepEqual(bodies, [{ hello: "socket" }, { hello: "fetch" }, { hello: "shell" }]);
});

test("pages run in a consumer's folder", async () => {
  await packed;
  writeFiles(consumer, {
    "views/posts/index.eta": "<h1><%= data.title %></h1>",
    "pages.js": `
      import { createApp, defineModule } from "@tenon/core";
      import { web } from "@tenon/web";
      class PostsController {
        routes() {
          return [{ method: "GET", path: "/", handler: this.index }];
        }
        index() {
          return { title: "<Posts>" };
        }
      }
      const module = defineModule({ name: "app", declarations: [PostsController] });
      const app = await createApp(module, web({ views: "views" }), { log: { level: "silent" } });
      process.stdout.write(await (await app.fetch(new Request("http://localhost/"))).text());
      await app.stop();
    `,
  });
  assert.equal(await runOrFail(process.execPath, ["pages.js"], { cwd: consumer }), "<h1>&lt;Posts&gt;</h1>");
});

test("the devtools find their views and files in a consumer's folder", async () => {
  await packed;
  writeFiles(consumer, {
    "devtools.js": `
      import { api, createApp, defineModule } from "@tenon/core";
      const module = defineModule({ name: "app" });
      const app = await createApp(module, api(), { log: { level: "silent" }, devtools: { file: false } });
      const { url } = await app.listen({ port: 0 });
      const paths = ["/_dev/requests", "/_dev/modules", "/_dev/devtools.css", "/_dev/devtools.js"];
      const headers = { "x-tenon-dev": process.env.TENON_DEV_SECRET };
      const statuses = await Promise.all(paths.map(async (path) => (await fetch(url + path, { headers })).status));
      process.stdout.write(statuses.join(" "));
      await app.stop();
    `,
  });
  const env = { TENON_DEV: "1" };
  assert.equal(await runOrFail(process.execPath, ["devtools.js"], { cwd: consumer, env }), "200 200 200 200");
});

test("metrics need nothing of OpenTelemetry, and an exporter that needs it says so", async () => {
  await packed;
  assert.equal(existsSync(join(consumer, "node_modules/@opentelemetry")), false);
  writeFiles(consumer, {
    "metrics.js": `
      import { api, createApp, defineModule } from "@tenon/core";
      import { Metrics, observeModule } from "@tenon/observe";
      const module = defineModule({ name: "app", imports: [observeModule({ metrics: { port: 0 } })] });
      const app = await createApp(module, api(), { log: { level: "silent" } });
      await app.fetch(new Request("http://localhost/"));
      process.stdout.write((await app.get(Metrics).text()).match(/^http_server_request_duration_seconds_count.*$/m)[0]);
      await app.stop();
    `,
  });
  const print = (env: Readonly<Record<string, string>>) =>
    run(process.execPath, ["metrics.js"], { cwd: consumer, env: { TENON_DEV: "", ...env } });
  assert.match((await print({})).stdout, / 1$/);
  const { code, stderr } = await print({ OTEL_TRACES_EXPORTER: "otlp" });
  assert.equal(code, 1);
  assert.match(stderr, /Install them: npm install @opentelemetry\/api @opentelemetry\/sdk-node\./);
});

test("the installed tool makes an application that runs on the built packages", async () => {
  await packed;
  const binary = (name: string) => join(consumer, "node_modules", name, "bin", `${name}.mjs`);
  const make = (cwd: string, name: string, ...argv: string[]) =>
    runOrFail(process.execPath, [binary(name), ...argv, "--no-install"], { cwd });
  const place = join(consumer, "Mein Lädchen");
  mkdirSync(place);
  await make(place, "create-tenon", "shop", "--template=api");
  const shop = join(place, "shop");
  await make(shop, "tenon", "g", "module", "--name=blog-post", "--type=resource");
  const { dependencies, devDependencies, scripts } = JSON.parse(
    readFileSync(join(shop, "package.json"), "utf8"),
  ) as Record<string, Record<string, string>>; // as the tool writes it
  const range = `^${commonVersion(readPackages(root))}`;
  assert.partialDeepStrictEqual(dependencies, { "@tenon/core": range, "@tenon/data": range });
  assert.equal(devDependencies?.tenon, range);
  assert.equal(scripts?.start, "node src/main.api.ts");
  const said = await runOrFail(process.execPath, ["--test", "test/**/*.test.ts"], { cwd: shop });
  assert.match(said, /DELETE \/blog-posts\/:id removes one/);
});

const consumerCode = `
import { type Context, createApp, api, defineModule, dto, type Infer, inject, type Middleware, type MiddlewareContract, type Next, route, string, token } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { accessLog, requestId } from "@tenon/core/middleware";
import { createTestApp } from "@tenon/core/testing";
import { redirect, type ViewEngine, WebSessions, web } from "@tenon/web";

declare module "@tenon/core" {
  interface GuardValues {
    user_id: string;
  }
}

const Url = token<URL>("Url");
const CreatePost = dto({ title: string("required"), content: string() });
const post: Infer<typeof CreatePost> = { title: "t" };

class Guard implements Middleware {
  readonly contract: MiddlewareContract<"user_id"> = { sets: ["user_id"] };

  handle(ctx: Context, next: Next) {
    ctx.set("user_id", "u1");
    return next();
  }
}

export class PostsController {
  readonly #url = inject(Url);

  readonly show = route.get("/posts/:id", { middlewares: [Guard, requestId()] }, async (ctx) => {
    const user: string = ctx.get("user_id");
    await ctx.get("session").flash("seen", user);
    if (ctx.route?.handler !== "show") return redirect("/");
    const { title } = await ctx.bind(CreatePost);
    return { host: this.#url.host, id: ctx.param("id"), length: title.length, user };
  });

  routes() {
    return [this.show];
  }
}

const module = defineModule({ name: "posts", declarations: [PostsController] });
const app = await createApp(module, api({ middlewares: [accessLog()] }));
const { port } = await app.listen({ port: 0 });
const status: number = (await (await createTestApp(module, api())).request("GET", "/")).status;
const engine: ViewEngine = { has: (name) => name === "posts/show", render: (name, { page }) => page.csrfField() };
const pages = await createTestApp(module, web({ views: engine, middlewares: [WebSessions] }));
await pages.request("POST", "/", { form: { title: "t" } });
const command = await createTestApp(module, cli({ name: "posts" }));
const { code, stdout } = await command.run(["show", "1"]);
export const results: readonly number[] = [port, status, post.title.length, code, stdout.length];
`;

const wrongUses: readonly [line: string, code: string][] = [
  ['import { string } from "@tenon/core"; string("requird");', "TS2345"],
  ['import { route } from "@tenon/core"; route.get("/a/:id", (ctx) => ctx.param("name"));', "TS2345"],
  ['import type { Routes } from "@tenon/core"; export const r: Routes = [{ method: "FETCH", path: "/" }];', "TS2322"],
  ['import { inject, token } from "@tenon/core"; export const n: number = inject(token<string>("s"));', "TS2322"],
  ['import { provide, token } from "@tenon/core"; provide(token<string>("s"), () => 1);', "TS2322"],
  ['import { cli } from "@tenon/core/cli"; cli({});', "TS2345"],
  ['import { web } from "@tenon/web"; web({});', "TS2345"],
  ['import "@tenon/core/di/inject";', "TS2882"],
];

test("the types of every subpath serve a strict consumer, and refuse wrong uses", async () => {
  const installed = await packed;
  for (const name of ["node"])
    link(join(root, "node_modules/@types", name), join(consumer, "node_modules/@types", name));
  const subpaths = installed.flatMap(({ manifest }) =>
    Object.keys(manifest.exports)
      .filter((path) => path !== "./package.json")
      .map((path) => `${manifest.name}${path.slice(1)}`),
  );
  const everything = subpaths.map((path, index) => `export * as s${index} from "${path}";`).join("\n");
  writeFiles(join(consumer, "types"), {
    "tsconfig.json": JSON.stringify({
      compilerOptions: { strict: true, module: "nodenext", target: "es2024", types: ["node"], noEmit: true },
    }),
    "consumer.ts": consumerCode,
    "everything.ts": everything,
    ...Object.fromEntries(wrongUses.map(([line], index) => [`wrong-use-${index}.ts`, line])),
  });
  const { stdout } = await run(tool("tsc"), ["-p", "types", "--pretty", "false", ...oneChecker], { cwd: consumer });
  const found = stdout.split("\n").filter((line) => /: error TS/.test(line));
  assert.deepEqual(
    found.map((line) => line.replace(/^(?:types\/)?([^(]+)\(.*error (TS\d+).*$/, "$1 $2")),
    wrongUses.map(([, code], index) => `wrong-use-${index}.ts ${code}`),
    stdout,
  );
});
