import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { api, type Context, createApp, defineModule, dto, inject, type Next, type Routes, string } from "@tenon/core";
import type { Metric } from "@tenon/core/platform";
import { createTestApp, type TestHttpApp } from "@tenon/core/testing";
import { Database, dataModule, sql } from "@tenon/data";
import { defineJob, Jobs, job, jobsModule } from "@tenon/jobs";
import { withJobs } from "@tenon/jobs/testing";
import { liveModule } from "@tenon/live";
import { MetricsServer, type ObserveOptions, observeModule } from "@tenon/observe";
import { services, withPostgres } from "../../../data/test/support/services.ts";
import { logDroppedChannel } from "../../src/tracing.ts";
import { type ParsedFamily, parsePrometheus } from "../support/prometheus.ts";

const Pack = defineJob("metrics/pack", { input: dto({ id: string("required") }) });
const token = "a-token-of-sixteen-or-more";

class Shop {
  readonly #db = inject(Database);

  routes(): Routes {
    return [
      { method: "GET", path: "/orders/:id", handler: () => "ok" },
      { method: "GET", path: "/failing", handler: this.failing },
      { method: "GET", path: "/rows", handler: () => sql`select 1`.execute(this.#db).then(() => "ok") },
      job(Pack, () => "packed"),
    ];
  }

  failing() {
    throw new Error("broken");
  }

  readMetrics(): Metric[] {
    return [
      {
        name: "shop_open",
        help: 'Whether "the shop"\nis open',
        kind: "gauge",
        values: [{ value: 1, labels: { town: 'a"b\\c\nd' } }],
      },
    ];
  }
}

class Broken {
  readMetrics(): Metric[] {
    throw new Error("no figures today");
  }
}

async function withShop(
  options: ObserveOptions,
  body: (app: TestHttpApp & ReturnType<typeof withJobs>) => Promise<void>,
  database = "sqlite::memory:",
): Promise<void> {
  const data = dataModule({ database });
  const module = defineModule({
    name: "shop",
    imports: [observeModule(options), data, jobsModule(data), liveModule(data)],
    declarations: [Shop, Broken],
  });
  const app = withJobs(await createTestApp(module, api(), { log: { level: "silent" } }));
  try {
    await app.start();
    await body(app);
  } finally {
    await app.stop();
  }
}

async function scrape(response: Response): Promise<Map<string, ParsedFamily>> {
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  return parsePrometheus(await response.text());
}

const findValue = (families: Map<string, ParsedFamily>, name: string, labels: Record<string, string> = {}) =>
  [...families.values()]
    .flatMap(({ samples }) => samples)
    .find(
      (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    )?.value;

const authorization = { headers: { authorization: `Bearer ${token}` } };

test("GET /metrics is what a parser of Prometheus reads: requests, statements, jobs, runtime, stores", () =>
  withShop({ metrics: { token } }, async (app) => {
    for (const path of ["/orders/1", "/orders/2", "/failing", "/rows", "/nowhere"]) await app.request("GET", path);
    await app.get(Jobs).enqueue(Pack, { id: "1" });
    await app.jobs.drain();
    await app.get(Jobs).enqueue(Pack, { id: "2" });
    logDroppedChannel.publish({ count: 3 });
    const families = await scrape(await app.request("GET", "/metrics", authorization));
    const requests = "http_server_request_duration_seconds_count";
    assert.equal(findValue(families, requests, { http_route: "/orders/:id", http_response_status_code: "200" }), 2);
    assert.equal(findValue(families, requests, { http_route: "/failing", error_type: "500" }), 1);
    assert.equal(findValue(families, requests, { http_response_status_code: "404", http_request_method: "GET" }), 1);
    const statements = "db_client_operation_duration_seconds_count";
    assert.ok((findValue(families, statements, { db_system_name: "sqlite", db_operation_name: "SELECT" }) ?? 0) >= 1);
    assert.equal(
      findValue(families, "messaging_process_duration_seconds_count", {
        tenon_job_name: "metrics/pack",
        tenon_job_state: "done",
      }),
      1,
    );
    assert.equal(findValue(families, "tenon_jobs", { queue: "default", state: "queued" }), 1);
    assert.equal(findValue(families, "http_server_active_requests"), 1, "this one");
    assert.equal(findValue(families, "tenon_log_lines_dropped_total"), 3);
    assert.equal(findValue(families, "tenon_live_connections", { kind: "stream" }), 0);
    assert.equal(findValue(families, "tenon_http_connections"), 0);
    for (const name of ["process_resident_memory_bytes", "nodejs_heap_size_used_bytes", "process_cpu_seconds_total"]) {
      assert.ok((findValue(families, name) ?? 0) > 0, name);
    }
    assert.ok((findValue(families, "nodejs_eventloop_lag_seconds") ?? -1) >= 0);
    assert.deepEqual(families.get("shop_open"), {
      help: 'Whether "the shop"\\nis open',
      type: "gauge",
      samples: [{ name: "shop_open", labels: { town: 'a"b\\c\nd' }, value: 1 }],
    });
  }));

test("garbage collections are counted", () =>
  withShop({ metrics: { token } }, async (app) => {
    let families = new Map<string, ParsedFamily>();
    for (let round = 0; !families.has("nodejs_gc_duration_seconds"); round++) {
      assert.ok(round < 1000, "no garbage collection was seen");
      Array.from({ length: 100_000 }, () => ({ round }));
      await turn(); // Node reports a collection in a turn of its own
      families = await scrape(await app.request("GET", "/metrics", authorization));
    }
    assert.ok((findValue(families, "nodejs_gc_duration_seconds_count") ?? 0) > 0);
  }));

test("the pool of PostgreSQL is measured", { skip: services.postgres === undefined }, () =>
  withPostgres((url) =>
    withShop(
      { metrics: { token } },
      async (app) => {
        await app.request("GET", "/rows");
        const families = await scrape(await app.request("GET", "/metrics", authorization));
        assert.equal(findValue(families, "tenon_pool_size"), 10);
        assert.ok((findValue(families, "tenon_pool_connections", { state: "idle" }) ?? 0) >= 1);
        assert.equal(findValue(families, "tenon_pool_waiting"), 0);
        assert.equal(
          [...families.keys()].some((name) => name.includes("password")),
          false,
        );
        const labels = families.get("tenon_pool_size")?.samples[0]?.labels.pool ?? "";
        assert.match(labels, /^[\w.]+:\d+\/tenon_\w+$/, "without user and password");
      },
      url,
    ),
  ),
);

test("GET /metrics needs its token, or passes the guards that are given", async () => {
  await withShop({ metrics: { token } }, async (app) => {
    for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: token }]) {
      const response = await app.request("GET", "/metrics", { headers });
      assert.deepEqual([response.status, response.headers.get("www-authenticate")], [401, "Bearer"]);
    }
  });
  const guard = (ctx: Context, next: Next) =>
    ctx.query("open") === "sesame" ? next() : { error: "Forbidden", status: 403 };
  await withShop({ metrics: { path: "/internal/metrics", middlewares: [guard] } }, async (app) => {
    assert.equal((await app.request("GET", "/internal/metrics")).status, 403);
    await scrape(await app.request("GET", "/internal/metrics?open=sesame"));
  });
});

test("metrics on a port of their own are not on the port of the application", () =>
  withShop({ metrics: { port: 0 } }, async (app) => {
    assert.equal((await app.request("GET", "/metrics")).status, 404);
    const url = `http://127.0.0.1:${app.get(MetricsServer).address?.port}`;
    const families = await scrape(await fetch(`${url}/metrics?name=x`));
    assert.ok(families.has("process_cpu_seconds_total"));
    assert.equal((await fetch(`${url}/other`)).status, 404);
    assert.equal((await fetch(`${url}/metrics`, { method: "POST" })).status, 404);
    assert.equal(await (await fetch(`${url}/metrics`, { method: "HEAD" })).text(), "");
  }));

test("a token guards a port of their own too", () =>
  withShop({ metrics: { port: 0, token } }, async (app) => {
    const url = `http://127.0.0.1:${app.get(MetricsServer).address?.port}/metrics`;
    for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: token }]) {
      const response = await fetch(url, { headers });
      assert.deepEqual([response.status, response.headers.get("www-authenticate")], [401, "Bearer"]);
      assert.equal(await response.text(), "");
    }
    await scrape(await fetch(url, authorization));
  }));

test("random paths of clients add no series", () =>
  withShop({ metrics: { token } }, async (app) => {
    for (let number = 0; number < 200; number++) {
      await app.request("GET", `/nowhere/${number}?x=${number}`);
      await app.request("GET", `/orders/${number}`);
    }
    const families = await scrape(await app.request("GET", "/metrics", authorization));
    const counts = families
      .get("http_server_request_duration_seconds")
      ?.samples.filter(({ name }) => name.endsWith("_count"));
    assert.equal(counts?.length, 2);
  }));

test("nothing is measured without metrics and without OpenTelemetry", () =>
  withShop({}, async (app) => {
    assert.equal((await app.request("GET", "/metrics")).status, 404);
    assert.equal(logDroppedChannel.hasSubscribers, false);
  }));

test("mistakes in the options stop the start", async () => {
  const start = (options: ObserveOptions) =>
    createApp(observeModule(options), api(), { onStartError: "throw", log: { level: "silent" } });
  const refused = (options: ObserveOptions, message: RegExp) => assert.rejects(start(options), { message });
  await refused({ metrics: {} }, /everyone could read GET \/metrics\. Add a token, middlewares, or a port/);
  await refused(
    { metrics: { token: "short" } },
    /metrics\.token of observeModule\(\) has 5 bytes\. At least 16 are needed/,
  );
  await refused({ metrics: { path: "metrics", token } }, /Begin it with a slash/);
  await refused({ metrics: { port: 70_000 } }, /whole number from 0 to 65535/);
  await refused({ metrics: { port: 0, middlewares: [() => "no"] } }, /not a port of its own\. Use a token/);
  for (const host of ["0.0.0.0", "::", "", "10.0.0.1", "127.evil.example"]) {
    await refused(
      { metrics: { port: 0, host } },
      /everyone who reaches .* could read them\. Add a token, or public: true/,
    );
    await start({ metrics: { port: 0, host, token } });
    await start({ metrics: { port: 0, host, public: true } });
  }
  for (const host of ["127.0.0.1", "127.0.0.2", "::1", "localhost"]) await start({ metrics: { port: 0, host } });
  await refused({ metric: {} } as ObserveOptions, /metric \(did you mean metrics\?\)/);
});
