import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { root } from "../../../test/support/run.ts";

const folder = join(root, "apps/reference");
const read = (name: string) => readFileSync(join(folder, name), "utf8");

test("copies only files that exist", () => {
  const sources = [...read("Dockerfile").matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, files = ""]) =>
    files.split(" "),
  );
  assert.ok(sources.length >= 6);
  for (const source of sources) assert.ok(existsSync(join(root, source)), source);
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
