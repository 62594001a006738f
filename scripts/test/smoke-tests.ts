import { sep } from "node:path";

/**
 * What CI runs on the oldest Node that Tenon supports (`--smoke`): of each package a file that uses most of it, and the
 * files of what Node does and changes from version to version. All others depend on the version in no other way.
 */
export const smokeTests: readonly string[] = [
  "apps/reference/test/conformance/auth-endpoints.test.ts",
  "apps/reference/test/conformance/posts.test.ts",
  "apps/reference/test/entry-points.test.ts",
  "apps/reference/test/pages/posts.test.ts",
  "packages/accounts/test/accounts.controller.test.ts",
  "packages/auth/test/sessions.test.ts",
  "packages/auth/test/tokens.test.ts",
  "packages/core/test/app/background.test.ts", // AsyncLocalStorage
  "packages/core/test/body/multipart-stream.test.ts",
  "packages/core/test/body/streamed-file.test.ts",
  "packages/core/test/app/signals.test.ts",
  "packages/core/test/cli/process.test.ts",
  "packages/core/test/config/env-file.test.ts",
  "packages/core/test/request/tracing.test.ts",
  "packages/observe/test/fetch-channels.test.ts",
  "packages/devtools/test/error-text/stack-frame.test.ts", // stack traces
  "packages/core/test/http/builtin.test.ts",
  "packages/core/test/http/connection.test.ts",
  "packages/core/test/http/event-stream.test.ts",
  "packages/core/test/http/half-closed.test.ts",
  "packages/core/test/http/message.test.ts",
  "packages/core/test/http/shutdown.test.ts",
  "packages/core/test/http/timeouts.test.ts",
  "packages/core/test/http/tls.test.ts",
  "packages/core/test/http/upgrade.test.ts",
  "packages/core/test/http/workers.test.ts",
  "packages/core/test/log/log-output.test.ts",
  "packages/core/test/middleware/compress.test.ts",
  "packages/core/test/middleware/static-files.test.ts",
  "packages/core/test/testing/test-app.test.ts",
  "packages/data/test/database/database.test.ts", // node:sqlite, and PostgreSQL
  "packages/data/test/database/sqlite-file.test.ts",
  "packages/data/test/key-value/key-value.test.ts",
  "packages/devtools/test/replay.test.ts",
  "packages/fuzz/test/fuzz-access-cases.test.ts",
  "packages/jobs/test/jobs.test.ts",
  "packages/live/test/client.test.ts", // EventSource and WebSocket
  "packages/live/test/socket/socket.test.ts",
  "packages/live/test/stream/events.test.ts",
  "packages/mail/test/smtp.test.ts",
  "packages/observe/test/own-sdk.test.ts",
  "packages/server/test/serve.test.ts",
  "packages/server/test/transports.test.ts",
  "packages/tool/test/bin.test.ts",
  "packages/tool/test/dev/dev-server.test.ts", // reloads modules
  "packages/tool/test/generate/edit/line-diff.test.ts", // diff of node:util
  "packages/web/test/pages.test.ts",
  "packages/web/test/views/eta-engine.test.ts",
  "test/no-http-for-cli.test.ts", // which modules a start loads
];

export function isSmoke(file: string): boolean {
  return smokeTests.includes(file.replaceAll(sep, "/"));
}
