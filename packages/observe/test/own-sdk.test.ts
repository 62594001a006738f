import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  context,
  createNoopMeter,
  metrics,
  type ObservableCallback,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace";
import { api, type Context, defineModule, inject, type Next, type Routes } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { Database, dataModule, KeyValue, sql } from "@tenon/data";
import { observeModule, TracingContextManager } from "@tenon/observe";
import { LogLines } from "../../core/test/support/log-lines.ts";
import { until } from "../../core/test/support/until.ts";
import { services, withPostgres } from "../../data/test/support/services.ts";
import { count, shopModule } from "../../devtools/test/support/shop.ts";
import { requestTracing } from "../src/tracing.ts";

class Shop {
  routes(): Routes {
    return [
      { method: "GET", path: "/price", handler: this.price, middlewares: [this.guard] },
      { method: "GET", path: "/thrown", handler: this.thrown },
    ];
  }

  guard(_: Context, next: Next) {
    return next();
  }

  async price() {
    await Promise.resolve();
    return trace.getTracer("shop").startActiveSpan("sum", (span) => {
      span.end();
      return 7;
    });
  }

  thrown() {
    throw "a text";
  }
}

afterEach(() => {
  for (const one of [trace, metrics, propagation, context]) one.disable();
});

function startSdk(contextManager?: TracingContextManager) {
  const exporter = new InMemorySpanExporter();
  const sdk = new NodeSDK({
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
    metricReaders: [],
    logRecordProcessors: [],
    autoDetectResources: false,
    ...(contextManager === undefined ? {} : { contextManager }),
  });
  sdk.start();
  return { exporter, sdk };
}

test("spans of the application are children of its request, with an SDK of its own", async () => {
  const contextManager = new TracingContextManager();
  const { exporter, sdk } = startSdk(contextManager);
  const module = defineModule({ name: "shop", imports: [observeModule({ contextManager })], declarations: [Shop] });
  const app = await createTestApp(module, api(), { log: { level: "silent" } });
  await app.request("GET", "/price");
  await app.request("GET", "/thrown");
  const spans = exporter.getFinishedSpans();
  const request = spans.find(({ name }) => name === "GET /price");
  const own = spans.find(({ name }) => name === "sum");
  assert.equal(own?.parentSpanContext?.spanId, request?.spanContext().spanId);
  const [event] = spans.find(({ name }) => name === "GET /thrown")?.events ?? [];
  assert.equal(event?.attributes?.["exception.message"], "a text was thrown, which is not an Error");
  await app.stop();
  assert.equal(requestTracing.hasSubscribers, false, "nothing listens after the stop");
  await sdk.shutdown();
});

class Stores {
  readonly #db = inject(Database);
  readonly #keyValue = inject(KeyValue);

  routes(): Routes {
    return [
      { method: "GET", path: "/missing", handler: () => sql`select * from missing`.execute(this.#db) },
      { method: "GET", path: "/key", handler: () => this.#keyValue.get("observe-key") },
      { method: "GET", path: "/unread", handler: async (ctx: Context) => (await fetch(ctx.query("url"))).status },
    ];
  }
}

const { redis, postgres } = services;
const isWithout = redis === undefined || postgres === undefined;

test("spans of stores say where they ran, and why they failed", { skip: isWithout }, async () => {
  await withPostgres(async (database) => {
    const contextManager = new TracingContextManager();
    const { exporter, sdk } = startSdk(contextManager);
    const data = dataModule({ database, keyValue: redis });
    const imports = [observeModule({ contextManager }), data];
    const module = defineModule({ name: "stores", imports, declarations: [Stores] });
    const app = await createTestApp(module, api(), { log: { level: "silent" } });
    const failed = await app.request("GET", "/missing");
    assert.deepEqual([failed.status, await failed.json()], [500, { error: "store failure" }]);
    await app.request("GET", "/key");
    const find = (name: string) => exporter.getFinishedSpans().find((span) => span.name === name);
    const { hostname, port, pathname } = new URL(database);
    const { attributes, events } = find("SELECT missing") ?? assert.fail();
    assert.equal(attributes["db.namespace"], pathname.slice(1));
    assert.equal(attributes["server.address"], hostname);
    assert.equal(attributes["server.port"], Number(port || 5432));
    assert.equal(attributes["db.response.status_code"], "42P01");
    const { "exception.message": message, "exception.stacktrace": stack } = events[0]?.attributes ?? {};
    assert.match(String(message), /^store failure\n\[cause\] [^\n]+\n\[cause\] relation "missing" does not exist$/);
    assert.match(
      String(stack),
      /^StoreError: store failure\n {4}at [\s\S]*\[cause\] error: relation "missing" does not exist/,
    );
    const place = find("GET")?.attributes;
    assert.deepEqual([place?.["db.namespace"], place?.["server.address"]], ["0", new URL(redis ?? "").hostname]);
    await app.stop();
    await sdk.shutdown();
  });
});

test("a message of a WebSocket has a span, a metric, and log lines with its trace", async () => {
  const contextManager = new TracingContextManager();
  const { exporter, sdk } = startSdk(contextManager);
  const log = new LogLines();
  const observe = observeModule({ contextManager, metrics: { path: "/metrics", public: true } });
  const module = defineModule({ name: "app", imports: [observe, shopModule()] });
  const app = await createTestApp(module, api({ middlewares: [] }), { log: log.options });
  const { url } = await app.listen({ port: 0, signals: false });
  assert.deepEqual(await count(url, "count", "fail"), [
    { event: "counted", data: { items: 4 } },
    { event: "error", data: { event: "fail", status: 500, error: "Internal Server Error" } },
  ]);
  const spans = exporter.getFinishedSpans();
  const [counted, failed] = ["process count", "process fail"].map((name) => spans.find((span) => span.name === name));
  assert.deepEqual(counted?.attributes, {
    "messaging.system": "tenon.live",
    "messaging.operation.type": "process",
    "http.route": "/counter/:token",
    "tenon.message": "count",
  });
  assert.deepEqual([counted.parentSpanContext, counted.status.code], [undefined, SpanStatusCode.UNSET]);
  const statement = spans.find(({ name }) => name === "SELECT items");
  assert.equal(statement?.parentSpanContext?.spanId, counted.spanContext().spanId);
  assert.equal(failed?.status.code, SpanStatusCode.ERROR);
  assert.equal(failed.events[0]?.attributes?.["exception.message"], "the counter is broken");
  const lines = ["counting the items", "GET /counter/[redacted] failed"].map(
    (text) => log.all.find(({ msg }) => msg === text)?.trace_id,
  );
  assert.deepEqual(lines, [counted.spanContext().traceId, failed.spanContext().traceId]);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  assert.match(
    metrics,
    /^tenon_message_duration_seconds_count\{http_route="\/counter\/:token",tenon_message="count"\} 1$/m,
  );
  assert.match(metrics, /^tenon_message_duration_seconds_count\{.*tenon_message="fail",error_type="RangeError"\} 1$/m);
  await app.stop();
  await sdk.shutdown();
});

test("a fetch whose body is not read has not failed", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void; // with the flag
  const server = createServer((_, response) => void response.write("x".repeat(100_000))); // never ends
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // of a port
  const contextManager = new TracingContextManager();
  const { exporter, sdk } = startSdk(contextManager);
  const data = dataModule({ database: "sqlite::memory:", keyValue: "memory:" });
  const imports = [observeModule({ contextManager }), data];
  const app = await createTestApp(defineModule({ name: "stores", imports, declarations: [Stores] }), api());
  await app.request("GET", `/unread?url=http://127.0.0.1:${port}/`);
  const find = () => exporter.getFinishedSpans().find(({ kind }) => kind === SpanKind.CLIENT);
  const isFound = () => {
    collectGarbage();
    return find() !== undefined;
  };
  await until(isFound, "span of the fetch");
  assert.deepEqual([find()?.status.code, find()?.events], [SpanStatusCode.UNSET, []]);
  await app.stop();
  await sdk.shutdown();
  server.closeAllConnections();
  server.close();
});

test("two applications in one process make each span once", async () => {
  const contextManager = new TracingContextManager();
  const { exporter, sdk } = startSdk(contextManager);
  const create = () =>
    createTestApp(
      defineModule({
        name: "shop",
        imports: [observeModule({ contextManager, chainSpans: true })],
        declarations: [Shop],
      }),
      api({ middlewares: [] }),
    );
  const [first, second] = [await create(), await create()];
  await second.start();
  await first.request("GET", "/price");
  await second.stop();
  await first.request("GET", "/price");
  await first.stop();
  const once = ["sum", "shop.price", "guard", "GET /price"];
  assert.deepEqual(
    exporter.getFinishedSpans().map(({ name }) => name),
    [...once, ...once],
  );
  await sdk.shutdown();
});

test("a context manager of another package is reported", async () => {
  const { sdk } = startSdk();
  const log = new LogLines();
  const app = await createTestApp(defineModule({ name: "shop", imports: [observeModule()] }), api(), {
    log: log.options,
  });
  await app.start();
  assert.match(log.messages("warn").join(), /give its SDK and observeModule\(\) the same TracingContextManager/);
  await app.stop();
  await sdk.shutdown();
});

test("the context manager runs functions in a context, and binds them to one", () => {
  const manager = new TracingContextManager().enable();
  const key = Symbol("key");
  const inner = manager.active().setValue(key, 7);
  const read = function (this: unknown, ...args: number[]) {
    return [manager.active().getValue(key), this, args];
  };
  const self = {};
  assert.deepEqual(manager.with(inner, read, self, 1, 2), [7, self, [1, 2]]);
  assert.deepEqual(manager.bind(inner, read).call(self, 3), [7, self, [3]]);
  assert.equal(manager.bind(inner, self), self);
  assert.equal(manager.active().getValue(key), undefined);
  manager.disable();
});

test("a context keeps each value that is set, and loses those that are deleted", () => {
  const [first, second] = [Symbol("first"), Symbol("second")];
  const empty = new TracingContextManager().active();
  const one = empty.setValue(first, 1);
  const two = one.setValue(second, 2);
  const read = (values: typeof one) => [values.getValue(first), values.getValue(second)];
  assert.deepEqual([empty, one, two].map(read), [
    [undefined, undefined],
    [1, undefined],
    [1, 2],
  ]);
  assert.deepEqual(read(one.setValue(first, 3)), [3, undefined]);
  assert.deepEqual(read(two.deleteValue(first)), [undefined, 2]);
  assert.deepEqual(read(one.deleteValue(first).deleteValue(first)), [undefined, undefined]);
  assert.deepEqual(read(one.deleteValue(second)), [1, undefined]);
});

test("a scrape and an export each have the longest delay of the event loop since they have last read", async () => {
  const observed = new Map<string, ObservableCallback>();
  const meter = createNoopMeter();
  const gauge = (name: string) => ({
    addCallback: (callback: ObservableCallback) => void observed.set(name, callback),
    removeCallback: () => void observed.delete(name),
  });
  Object.assign(meter, { createObservableGauge: gauge, createObservableCounter: gauge });
  metrics.setGlobalMeterProvider({ getMeter: () => meter });
  const module = defineModule({ name: "shop", imports: [observeModule({ metrics: { public: true } })] });
  const app = await createTestApp(module, api(), { log: { level: "silent" } });
  const longest = "nodejs_eventloop_lag_max_seconds";
  const scrape = async () =>
    Number(new RegExp(`^${longest} (.+)$`, "m").exec(await (await app.request("GET", "/metrics")).text())?.[1]);
  const readExport = async () => {
    let last = 0;
    const result = {
      observe: (value: number) => {
        last = value;
      },
    };
    await observed.get("tenon.metrics")?.(result as Parameters<ObservableCallback>[0]);
    await observed.get(longest)?.(result as Parameters<ObservableCallback>[0]);
    return last;
  };
  await app.start();
  const tick = () => sleep(50); // the histogram of Node records nothing until its second interval after a read
  await until(async () => (await scrape()) > 0, "measurements", tick);
  await readExport();
  await tick();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  await tick();
  assert.ok((await scrape()) > 0.2);
  assert.ok((await readExport()) > 0.2);
  await app.stop();
});
