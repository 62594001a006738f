import { sep } from "node:path";

/**
 * The long test files: they drive a browser, build, compile or generate applications, or start many processes. `npm test`
 * leaves them out; `npm run test:long` runs them, as do coverage, the full gate, CI, and every run that names them. A
 * file, or a folder that ends with a slash. A test file belongs here when it takes more than three seconds.
 */
export const longTests: readonly string[] = [
  "apps/reference/test/backup.test.ts",
  "apps/reference/test/browser/",
  "apps/reference/test/commands.test.ts",
  "apps/reference/test/config.test.ts",
  "apps/reference/test/dockerfile.test.ts",
  "apps/reference/test/entry-points.test.ts",
  "apps/reference/test/flags.test.ts",
  "apps/reference/test/fuzz-contract.test.ts",
  "apps/reference/test/races.test.ts",
  "apps/reference/test/readme.test.ts",
  "apps/reference/test/typed-client.test.ts",
  "packages/auth/test/login-limit.test.ts",
  "packages/core/test/advisories/memory.test.ts",
  "packages/core/test/body/multipart-fuzz.test.ts",
  "packages/core/test/cli/process.test.ts",
  "packages/core/test/dto/bind-fuzz.test.ts",
  "packages/core/test/http/workers.test.ts",
  "packages/core/test/log/log-output.test.ts",
  "packages/core/test/openapi/docs-page.test.ts",
  "packages/core/test/testing/fuzz-contract.test.ts",
  "packages/data/test/database/migrate.test.ts",
  "packages/data/test/database/postgres-pool.test.ts",
  "packages/data/test/database/sqlite-checkpoints.test.ts",
  "packages/data/test/faults.test.ts",
  "packages/data/test/key-value/two-processes.test.ts",
  "packages/jobs/test/worker.test.ts",
  "packages/live/test/browser.test.ts",
  "packages/observe/test/devtools/browser.test.ts",
  "packages/observe/test/otlp.test.ts",
  "packages/observe/test/workers.test.ts",
  "packages/tool/test/bin.test.ts",
  "packages/tool/test/built/",
  "packages/tool/test/client/hostile-documents.test.ts",
  "packages/tool/test/dev/dev-server.test.ts",
  "packages/tool/test/dev/reload.test.ts",
  "packages/tool/test/generate/auth.service.test.ts",
  "packages/tool/test/generate/parts.service.test.ts",
  "packages/tool/test/generate/resource-files.test.ts",
  "packages/tool/test/generated.test.ts",
  "packages/tool/test/inspect/inspect.controller.test.ts",
  "packages/tool/test/inspect/routes.controller.test.ts",
  "packages/tool/test/migrate/migrations.controller.test.ts",
  "packages/tool/test/names.test.ts",
  "packages/tool/test/prompts-at-terminal.test.ts",
  "packages/tool/test/templates.test.ts",
  "packages/tool/test/typed-client-doc.test.ts",
  "test/first-minute.test.ts",
  "test/packaging.test.ts",
  "test/readme.test.ts",
  "test/recipes-doc.test.ts",
  "test/release.test.ts",
  "test/reliability.test.ts",
  "test/test-runner.test.ts",
  "test/tutorial-doc.test.ts",
];

export function isLong(file: string): boolean {
  const path = file.replaceAll(sep, "/");
  return longTests.some((long) => (long.endsWith("/") ? path.startsWith(long) : path === long));
}
