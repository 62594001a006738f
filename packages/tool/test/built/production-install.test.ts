import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { link } from "../../../../test/support/packed-packages.ts";
import { root, runOrFail } from "../../../../test/support/run.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { appTemplates } from "../../src/templates.ts";
import { builtTool as tool } from "../support/built-tool.ts";

const folder = temporaryFolder("production-install");

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as Manifest; // npm refuses others
}

/** The packages that `npm ci --omit=dev` installs: our own as files, because node looks next to the target of a link. */
function installProduction(manifest: Manifest, modules: string): void {
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  for (const name of [...Object.keys(dependencies), ...peers]) {
    const target = join(modules, name);
    if (existsSync(target)) continue;
    if (name.startsWith("@tenon/")) {
      cpSync(join(tool.folder, "../node_modules", name), target, { recursive: true });
      installProduction(readManifest(target), modules);
    } else link(join(root, "node_modules", name), target);
  }
}

const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, LOG_LEVEL: ___, ...inherited } = process.env;

/** Starts an entry point on a free port, stops it, and returns its output. */
async function serve(app: string, file: string, env: NodeJS.Dict<string>): Promise<string> {
  const all = { ...inherited, PORT: "0", ...env };
  const child = spawn(process.execPath, [`src/${file}`], { cwd: app, env: all, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close");
  const lines: string[] = [];
  child.stderr.setEncoding("utf8").on("data", (text: string) => void lines.push(text));
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.includes("listening on")) child.kill();
  }
  const [code] = await ended;
  assert.equal(code, 0, `${file}:\n${lines.join("\n")}`);
  return lines.join("\n");
}

for (const template of appTemplates) {
  test(`an application of the ${template} template starts without its development dependencies`, async () => {
    await tool.print(tool.folder, "new", `bare-${template}`, `--template=${template}`, "--no-install");
    const app = join(folder, template);
    mkdirSync(app);
    for (const part of ["package.json", "src", "views", "assets"]) {
      const source = join(tool.folder, `bare-${template}`, part);
      if (existsSync(source)) cpSync(source, join(app, part), { recursive: true });
    }
    const modules = join(app, "node_modules");
    installProduction(readManifest(app), modules);
    for (const name of ["@tenon/devtools", "tenon"]) assert.equal(existsSync(join(modules, name)), false, name);

    const mail = { MAIL_URL: "smtp://127.0.0.1:20999?tls=off", MAIL_FROM: "no-reply@example.com" };
    const site = { BASE_URL: "https://example.com", SESSION_SECRET: "a-secret-of-the-tests-of-32-bytes" };
    const production = { NODE_ENV: "production", ...site, ...mail };
    if (existsSync(join(app, "src/main.cli.ts")))
      await runOrFail(process.execPath, ["src/main.cli.ts", "--help"], { cwd: app });
    for (const file of ["main.api.ts", "main.web.ts"].filter((name) => existsSync(join(app, "src", name)))) {
      assert.match(await serve(app, file, production), /listening on http/);
      // in development too: what is for developers is in the devtools
      assert.match(await serve(app, file, { TENON_DEV: "1" }), /listening on http/);
    }
  });
}
