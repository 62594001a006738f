import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { buildWithoutDocker, isSent, parseDockerfile, whileRunning } from "../../../test/support/dockerfile.ts";
import { root, run } from "../../../test/support/run.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";

const folder = join(root, "apps/reference");
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const isFull = process.env.TENON_FULL === "1";

test("copies only files that exist and are sent to the build", () => {
  const ignored = read("Dockerfile.dockerignore");
  const copies = parseDockerfile(read("Dockerfile")).filter(({ name, value }) => name === "COPY" && !/^--/.test(value));
  const sources = copies.flatMap(({ value }) => value.split(" ").slice(0, -1));
  assert.ok(sources.length >= 6);
  for (const source of sources) assert.ok(existsSync(join(root, source)) && isSent(ignored, source), source);
  for (const path of ["node_modules", "packages/core/test", "apps/reference/data", "apps/hello/src", ".git"]) {
    assert.ok(!isSent(ignored, path), path);
  }
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

test("the commands of the Dockerfile give a service that starts, is healthy and stops", { skip: !isFull }, async () => {
  const image = await buildWithoutDocker({
    dockerfile: join(folder, "Dockerfile"),
    ignoreFile: join(folder, "Dockerfile.dockerignore"),
    context: root,
    target: temporaryFolder("image"),
  });
  assert.equal(image.user, "node");
  const secret = { JWT_SECRET: "a secret of at least 32 bytes, for tests" };
  const code = await whileRunning(image, secret, async (url, env) => {
    assert.equal((await fetch(`${url}/posts`)).status, 200);
    assert.equal((await fetch(`${url}/docs`)).status, 200);
    const [program = "", ...args] = image.healthCheck ?? [];
    assert.equal((await run(program, args, { env })).code, 0);
    assert.equal((await run(program, args, { env: { ...env, PORT: "1" } })).code, 1);
  });
  assert.equal(code, 0);
  const command = image.command.map((word) => word.replace("main.api", "main.web"));
  await whileRunning({ ...image, command }, secret, async (url, env) => {
    assert.match(await (await fetch(url)).text(), /^<!doctype html>/i);
    const [program = "", ...args] = image.healthCheck ?? [];
    assert.equal((await run(program, args, { env })).code, 0);
  });
});
