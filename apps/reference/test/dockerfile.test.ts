import assert from "node:assert/strict";
import { cpSync, existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { plannedByNpm, root } from "../../../test/support/run.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";

const folder = join(root, "apps/reference");
const read = (name: string) => readFileSync(join(folder, name), "utf8");

test("copies only files that exist", () => {
  const sources = [...read("Dockerfile").matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, files = ""]) =>
    files.split(" "),
  );
  assert.ok(sources.length >= 6);
  for (const source of sources) assert.ok(existsSync(join(root, source)), source);
});

test("installs no development dependency from the files that the ignore file lets in", async () => {
  const folder = temporaryFolder("dockerfile");
  const [context, app] = [join(folder, "context"), join(folder, "app")];
  const [first, ...allowed] = read("Dockerfile.dockerignore").trim().split("\n");
  assert.equal(first, "*");
  for (const file of globSync(
    allowed.map((line) => line.replace(/^!/, "")),
    { cwd: root },
  )) {
    cpSync(join(root, file), join(context, file), { recursive: true });
  }
  const [, stage = ""] = /^FROM \S+ AS packages$([\s\S]+?)^FROM /m.exec(read("Dockerfile")) ?? [];
  for (const [, sources = "", target = ""] of stage.matchAll(/^COPY (.+) (\S+)$/gm)) {
    for (const source of sources.split(" ")) {
      cpSync(join(context, source), join(app, target, target.endsWith("/") ? source : ""), { recursive: true });
    }
  }
  const [, command = ""] = /^RUN npm (ci .+)$/m.exec(stage) ?? [];
  const installed = await plannedByNpm(command.split(" "), app);
  const { packages } = JSON.parse(readFileSync(join(app, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
  }; // npm writes it
  const isNeeded = (name: string) =>
    Object.entries(packages).some(([path, { dev }]) => path.endsWith(`node_modules/${name}`) && dev !== true);
  assert.ok(installed.includes("pino") && installed.includes("@tenon/core"), installed.join(" "));
  assert.deepEqual(
    installed.filter((name) => !isNeeded(name)),
    [],
  );
  assert.equal(isNeeded("node"), false);
});

test("starts the API, the pages and, when it is asked for, a worker with PostgreSQL and Redis in compose.yaml", () => {
  const { services } = parse(read("compose.yaml"), { merge: true }) as {
    readonly services: Readonly<
      Record<string, { command?: string[]; profiles?: string[]; ports?: string[]; environment: Record<string, string> }>
    >;
  }; // checked below
  assert.deepEqual(Object.keys(services), ["api", "pages", "worker", "database", "redis"]);
  assert.deepEqual([services.worker?.profiles, services.worker?.ports], [["worker"], []]);
  for (const service of [services.pages, services.worker]) {
    assert.ok(existsSync(join(root, service?.command?.at(-1) ?? "missing")));
  }
  for (const name of ["api", "pages", "worker"]) {
    assert.match(services[name]?.environment.DATABASE_URL ?? "", /^postgres:/);
    assert.match(services[name]?.environment.REDIS_URL ?? "", /^redis:/);
  }
});

test("declares every variable of .env.example in config.ts, apart from those of the framework and of compose.yaml", () => {
  const names = [...read(".env.example").matchAll(/^#?([A-Z_]+)=/gm)].map(([, name = ""]) => name);
  assert.ok(names.length > 5);
  const config = read("src/config.ts");
  for (const name of names) {
    assert.ok(["LOG_LEVEL", "POSTGRES_PASSWORD"].includes(name) || config.includes(`${name}:`), name);
  }
});
