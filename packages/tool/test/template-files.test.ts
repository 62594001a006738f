import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { root } from "../../../test/support/run.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { appTemplates } from "../src/templates.ts";
import { runTool } from "./support/tool.ts";

interface Service {
  readonly build?: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly profiles?: readonly string[];
  readonly ports?: readonly string[];
  readonly environment: Readonly<Record<string, string | number>>;
}

interface Manifest {
  readonly devDependencies: Readonly<Record<string, string>>;
}

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
}

const folder = temporaryFolder("files");
const created = Promise.all(
  appTemplates.map((template) => runTool(folder, "app", `--name=${template}`, `--template=${template}`)),
);
const readerOf = async (template: string) => {
  for (const { code, stderr } of await created) assert.equal(code, 0, stderr);
  return (path: string) => readFileSync(join(folder, template, path), "utf8");
};
const scriptsOf = (manifest: string) => (JSON.parse(manifest) as { scripts: Record<string, string> }).scripts; // npm requires it

for (const template of appTemplates) {
  test(`names existing scripts in the workflow, AGENTS.md and README.md of the ${template} template`, async () => {
    const read = await readerOf(template);
    const scripts = Object.keys(scriptsOf(read("package.json")));
    for (const name of ["dev", "start", "test", "types", "lint", "format", "check"]) assert.ok(scripts.includes(name));
    const { jobs } = parse(read(".github/workflows/ci.yml")) as Workflow; // checked below
    const lines = Object.values(jobs).flatMap(({ steps }) => steps.map((step) => step.run ?? ""));
    assert.ok(lines.includes("npm ci") && lines.includes("npm test"));
    for (const text of [lines.join("\n"), read("AGENTS.md"), read("README.md")]) {
      const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name = ""]) => name);
      assert.ok(named.length > 1);
      for (const name of named) assert.ok(scripts.includes(name), name);
    }
  });

  test(`gives assistants at most 8 kB and existing files and docs in the ${template} template`, async () => {
    const text = (await readerOf(template))("AGENTS.md");
    assert.ok(Buffer.byteLength(text) <= 8_000, `${Buffer.byteLength(text)} bytes`);
    const pages = [...text.matchAll(/`([\w-]+\.md)`/g)].map(([, name = ""]) => name);
    assert.ok(pages.length > 5);
    for (const page of pages) assert.ok(existsSync(join(root, "docs", page)), page);
    const paths = [...text.matchAll(/`((?:src|test|views|assets)\/[\w./-]+)`/g)].map(([, path = ""]) => path);
    assert.ok(paths.length > 3);
    for (const path of paths) assert.ok(existsSync(join(folder, template, path)), path);
  });

  test(`runs the ${template} template with PostgreSQL and Redis in compose.yaml`, async () => {
    const read = await readerOf(template);
    const { services } = parse(read("compose.yaml"), { merge: true }) as { services: Record<string, Service> }; // checked below
    for (const store of ["database", "redis"]) {
      assert.ok(
        services[store] !== undefined && services[store].ports === undefined,
        `${store} is for the services only`,
      );
    }
    const own = Object.values(services).filter(({ build }) => build === ".");
    assert.ok(own.length > 0);
    for (const { environment, command, entrypoint } of own) {
      assert.match(String(environment.DATABASE_URL), /^postgres:/);
      assert.match(String(environment.REDIS_URL), /^redis:/);
      assert.ok(existsSync(join(folder, template, (entrypoint ?? command)?.at(-1) ?? "src")));
    }
  });

  test(`runs a worker only when it is asked for in compose.yaml of the ${template} template`, async () => {
    const read = await readerOf(template);
    const { services } = parse(read("compose.yaml"), { merge: true }) as { services: Record<string, Service> }; // checked below
    const { worker, ...others } = services;
    assert.deepEqual([worker?.profiles, worker?.ports], [["worker"], undefined]); // a new application has no jobs
    const started = template === "cli" ? worker?.entrypoint : worker?.command;
    assert.equal(started?.join(" "), scriptsOf(readTemplate(template)).worker);
    const own = Object.values(others).filter(({ build }) => build === ".");
    assert.deepEqual(worker?.environment, own[0]?.environment);
  });

  test(`declares every variable of .env.example in the source of the ${template} template`, async () => {
    const read = await readerOf(template);
    const names = [...read(".env.example").matchAll(/^#?([A-Z_]+)=/gm)].map(([, name = ""]) => name);
    assert.ok(names.includes("DATABASE_URL"));
    const source = globSync("src/*.ts", { cwd: join(folder, template) })
      .map(read)
      .join();
    for (const name of names) {
      assert.ok(["LOG_LEVEL", "POSTGRES_PASSWORD"].includes(name) || source.includes(`${name}:`), name);
    }
  });

  test(`runs an existing file as another user than root in the Dockerfile of the ${template} template`, async () => {
    const read = await readerOf(template);
    const valuesOf = (name: string) =>
      [...read("Dockerfile").matchAll(new RegExp(`^${name} (.+)$`, "gm"))].map(([, value = ""]) => value);
    const sources = valuesOf("COPY").flatMap((value) => (/^--/.test(value) ? [] : value.split(" ").slice(0, -1)));
    for (const source of sources) {
      assert.ok(source === "package-lock.json" || existsSync(join(folder, template, source)), source);
    }
    assert.deepEqual(valuesOf("USER"), ["node"]);
    const [command = "[]"] = template === "cli" ? valuesOf("ENTRYPOINT") : valuesOf("CMD");
    assert.equal(`${(JSON.parse(command) as string[]).join(" ")}`, scriptsOf(readTemplate(template)).start); // the exec form
    assert.equal(valuesOf("HEALTHCHECK").length, template === "cli" ? 0 : 1);
  });
}

test("names one version of Node wherever the files name one", async () => {
  const workspace = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest; // npm requires the form
  const major = workspace.devDependencies.node?.split(".")[0];
  for (const template of appTemplates) {
    const read = await readerOf(template);
    const named = [
      read(".nvmrc").trim(),
      ...[...read("Dockerfile").matchAll(/^FROM node:(\d+)/gm)].map(([, version]) => version),
      /node-version: (\S+)/.exec(read(".github/workflows/ci.yml"))?.[1],
      /^\^(\d+)/.exec((JSON.parse(read("package.json")) as Manifest).devDependencies["@types/node"] ?? "")?.[1],
    ];
    assert.deepEqual(named, Array(5).fill(major), template);
  }
  for (const [file, command] of [
    ["packages/tool/bin/tenon.mjs", `npx -y -p node@${major} -p create-tenon create-tenon`],
    ["docs/installation.md", `$ npx -y -p node@${major} -p create-tenon create-tenon shop\n`],
  ] as const) {
    assert.ok(readFileSync(join(root, file), "utf8").includes(command), file);
  }
});

test("leaves out Biome and everything that names it with --no-lint", async () => {
  const place = temporaryFolder("no-lint");
  await Promise.all(appTemplates.map((template) => runTool(place, "new", template, `-t=${template}`, "--no-lint")));
  for (const path of globSync("**/*", { cwd: place, withFileTypes: true })) {
    assert.ok(path.name !== "biome.json" && path.name !== "biome.jsonc");
    if (!path.isFile()) continue;
    const text = readFileSync(join(path.parentPath, path.name), "utf8");
    assert.doesNotMatch(text, /biome|npm run (?:lint|format)|lint,/i, join(path.parentPath, path.name));
  }
  assert.equal(existsSync(join(place, "full/package.json")), true);
});

function readTemplate(template: string): string {
  return readFileSync(join(root, "packages/tool/templates", template, "package.json"), "utf8");
}
