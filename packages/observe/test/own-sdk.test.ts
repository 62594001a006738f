import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { context, metrics, propagation, trace } from "@opentelemetry/api";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace";
import { api, type Context, defineModule, type Next, routes } from "@tenon/core";
import { requestSignal } from "@tenon/core/platform";
import { createTestApp } from "@tenon/core/testing";
import { observeModule, SignalContextManager } from "@tenon/observe";
import { LogLines } from "../../core/test/support/log-lines.ts";

class Shop {
  routes() {
    return routes([
      { method: "GET", path: "/price", handler: this.price, middlewares: [this.guard] },
      { method: "GET", path: "/thrown", handler: this.thrown },
    ]);
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

function startSdk(contextManager?: SignalContextManager) {
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
  const contextManager = new SignalContextManager();
  const { exporter, sdk } = startSdk(contextManager);
  const module = defineModule({ name: "shop", imports: [observeModule({ contextManager })], declarations: [Shop] });
  const app = await createTestApp(module, api());
  await app.request("GET", "/price");
  await app.request("GET", "/thrown");
  const spans = exporter.getFinishedSpans();
  const request = spans.find(({ name }) => name === "GET /price");
  const own = spans.find(({ name }) => name === "sum");
  assert.equal(own?.parentSpanContext?.spanId, request?.spanContext().spanId);
  const [event] = spans.find(({ name }) => name === "GET /thrown")?.events ?? [];
  assert.equal(event?.attributes?.["exception.message"], "a text was thrown, which is not an Error");
  await app.stop();
  assert.equal(requestSignal.hasSubscribers, false, "nothing listens after the stop");
  await sdk.shutdown();
});

test("two applications in one process make each span once", async () => {
  const contextManager = new SignalContextManager();
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
  assert.match(log.messages("warn").join(), /give its SDK and observeModule\(\) the same SignalContextManager/);
  await app.stop();
  await sdk.shutdown();
});

test("the context manager runs functions in a context, and binds them to one", () => {
  const manager = new SignalContextManager().enable();
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
  const empty = new SignalContextManager().active();
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
