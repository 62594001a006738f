import assert from "node:assert/strict";
import { test } from "node:test";
import { Collector } from "../../../packages/observe/test/support/collector.ts";
import { startServer, withServer } from "./support/processes.ts";

const memory = { DATABASE_URL: "sqlite::memory:" };
const token = "a token of the tests";
const secret = "a secret of the tests, thirty-two bytes and more";

/** Prints the files of @tenon/observe and of OpenTelemetry that are loaded. */
const printLoaded = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  registerHooks({
    load(url, context, next) {
      if (/packages.observe|opentelemetry/.test(url)) console.log("loaded " + url);
      return next(url, context);
    },
  });
`)}`;

async function loadedWith(env: Readonly<Record<string, string>>): Promise<string[]> {
  const server = await startServer(
    "src/main.api.ts",
    { ...memory, ...env },
    { nodeOptions: ["--import", printLoaded] },
  );
  await server.stop();
  return server.lines.filter((line) => line.startsWith("loaded "));
}

test("by default there are no metrics and no developer tools, and nothing of @tenon/observe is loaded", async () => {
  await withServer("src/main.api.ts", memory, async ({ client }) => {
    for (const path of ["/metrics", "/_dev", "/_dev/requests"]) {
      assert.equal((await client.get(path, { token })).status, 404, path);
    }
  });
  assert.deepEqual(await loadedWith({}), []);
  assert.notDeepEqual(await loadedWith({ METRICS_TOKEN: token }), []);
});

test("METRICS_TOKEN adds GET /metrics for clients that send it, to the API and to the pages", async () => {
  for (const file of ["src/main.api.ts", "src/main.web.ts"]) {
    await withServer(file, { ...memory, METRICS_TOKEN: token }, async ({ client }) => {
      await client.get("/posts");
      for (const options of [{}, { token: `${token}s` }]) {
        assert.equal((await client.get("/metrics", options)).status, 401, file);
      }
      const { status, text } = await client.get("/metrics", { token });
      assert.equal(status, 200, file);
      assert.match(text, /^http_server_request_duration_seconds_count\{.*http_route="\/posts".*\} 1$/m);
      assert.match(text, /^db_client_operation_duration_seconds_count\{.*"SELECT"/m);
    });
  }
});

test("the developer tools are at /_dev under tenon dev, with its secret, and nowhere else", async () => {
  const development = { ...memory, NODE_ENV: "development", TENON_DEV_SECRET: "0".repeat(43) };
  const headers = { "x-tenon-dev": development.TENON_DEV_SECRET };
  await withServer("src/main.api.ts", { ...development, TENON_DEV: "start" }, async ({ client }) => {
    await client.get("/posts?limit=7");
    const { status, text } = await client.get("/_dev/requests", { headers });
    assert.equal(status, 200);
    assert.ok(text.includes("/posts?limit=7"));
    assert.equal((await client.get("/_dev/requests")).status, 404);
  });
  const production = { ...development, TENON_DEV: "start", NODE_ENV: "production", JWT_SECRET: secret };
  for (const env of [development, production]) {
    await withServer("src/main.api.ts", env, async ({ client }) => {
      assert.equal((await client.get("/_dev/requests", { headers })).status, 404);
    });
  }
});

test("the variables of OpenTelemetry turn on traces, of requests and their statements", async () => {
  const collector = await Collector.start();
  try {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" };
    await withServer("src/main.api.ts", { ...memory, ...env }, async ({ client }) => {
      assert.equal((await client.get("/posts/missing")).status, 404);
    });
    const request = collector.spans.find(({ name }) => name === "GET /posts/:id");
    assert.equal(request?.service, "blog");
    const statements = collector.spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId);
    assert.deepEqual(new Set(statements.map(({ name }) => name.split(" ")[0])), new Set(["SELECT"]));
  } finally {
    collector.stop();
  }
});
