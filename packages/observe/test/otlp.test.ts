import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { until } from "../../core/test/support/until.ts";
import { withFolder } from "../../data/test/support/services.ts";
import { Collector, type ReceivedSpan } from "./support/collector.ts";
import { Service } from "./support/services.ts";

const kinds = ["", "internal", "server", "client", "producer", "consumer"];
const secrets = { path: "path-token-0815", query: "card-4711", bearer: "bearer-1234", cookie: "sid-5678" };
const parent = { trace: "0af7651916cd43dd8448eb211c80319c", span: "b7ad6b7169203331" };

let collector: Collector;
let spans: readonly ReceivedSpan[] = [];
let frontLog: readonly Record<string, unknown>[] = [];
let backLog: readonly Record<string, unknown>[] = [];

before(() =>
  withFolder(async (folder) => {
    collector = await Collector.start();
    const env = (name: string) => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_SERVICE_NAME: name,
    });
    const back = await Service.start(["back", `sqlite:${join(folder, "app.db")}`], env("back-service"));
    const front = await Service.start(["front", "", back.url], env("front-service"));
    const response = await fetch(`${front.url}/orders/${secrets.path}?api_key=${secrets.query}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secrets.bearer}`,
        cookie: `session_id=${secrets.cookie}`,
        traceparent: `00-${parent.trace}-${parent.span}-01`,
      },
    });
    assert.equal(response.status, 201, await response.text());
    assert.equal((await fetch(`${front.url}/broken`)).status, 500);
    assert.equal((await fetch(`${back.url}/health/live`)).status, 200);
    assert.equal((await fetch(`${back.url}/stock`, { method: "POST" })).status, 401);
    await untilPacked(back);
    await front.stop();
    await back.stop();
    spans = collector.spans;
    frontLog = front.log;
    backLog = back.log;
  }),
);

after(() => collector.stop());

/** Waits for both attempts of the job. */
async function untilPacked(service: Service): Promise<void> {
  await until(() => service.log.filter(({ msg }) => msg === "packed").length >= 2, "second attempt of the job");
}

/** A trace as indented lines. */
function draw(list: readonly ReceivedSpan[], parentId: string, depth = 0): string[] {
  return list
    .filter(({ parentSpanId }) => parentSpanId === parentId)
    .flatMap(({ service, name, kind, spanId }) => [
      `${"  ".repeat(depth)}${service.split("-")[0]} ${kinds[kind]} ${name}`,
      ...draw(list, spanId, depth + 1),
    ]);
}

function find(name: string, service?: string): ReceivedSpan {
  const found = spans.find((span) => span.name === name && (service === undefined || span.service === service));
  assert.ok(found, `no span ${name} among ${spans.map((span) => span.name).join(", ")}`);
  return found;
}

test("one request across two services and a job with two attempts is one trace", () => {
  const trace = spans.filter(({ traceId }) => traceId === parent.trace);
  assert.deepEqual(draw(trace, parent.span), [
    "front server POST /orders/:token",
    "  front client POST",
    "    back server POST /stock",
    "      back internal requestId",
    "        back internal accessLog",
    "          back internal back.take",
    "            back client INSERT orders",
    "            back producer enqueue orders/pack",
    "              back client INSERT tenon_jobs",
    "              back consumer process orders/pack",
    "                back internal JobEntry",
    "                  back internal back.pack",
    "                    back client SELECT orders",
    "              back consumer process orders/pack",
    "                back internal JobEntry",
    "                  back internal back.pack",
    "                    back client SELECT orders",
  ]);
});

test("a request has the attributes of the HTTP conventions", () => {
  const { attributes, status } = find("POST /orders/:token");
  const { "server.port": port, "http.response.body.size": size, ...rest } = attributes;
  assert.deepEqual(rest, {
    "http.request.method": "POST",
    "http.route": "/orders/:token",
    "http.response.status_code": 201,
    "server.address": "127.0.0.1",
    "url.path": "/orders/[redacted]",
    "url.scheme": "http",
  });
  assert.ok(Number(port) > 0 && Number(size) > 0);
  assert.equal(status, 0);
  const call = find("POST", "front-service").attributes;
  assert.equal(call["http.response.status_code"], 200);
  assert.match(String(call["url.full"]), /^http:\/\/127\.0\.0\.1:\d+\/stock$/);
});

test("statements and jobs have the attributes of their conventions", () => {
  assert.deepEqual(find("INSERT orders").attributes, {
    "db.system.name": "sqlite",
    "db.namespace": "app.db",
    "db.operation.name": "INSERT",
    "db.query.summary": "INSERT orders",
    "db.query.text": 'insert into "orders" ("id", "card") values (?, ?)',
    "db.response.returned_rows": 1,
  });
  const attempts = spans.filter(({ name }) => name === "process orders/pack");
  assert.deepEqual(
    attempts.map(({ attributes: { "tenon.job.attempt": attempt, "tenon.job.state": state }, status }) => [
      attempt,
      state,
      status,
    ]),
    [
      [1, "queued", 2],
      [2, "done", 0],
    ],
  );
});

test("an error is an event of one span, and those around it have failed too", () => {
  const { status, events, attributes } = find("GET /broken");
  assert.deepEqual([status, events, attributes["error.type"]], [2, ["exception"], "500"]);
  const failed = spans.filter(({ traceId, status: code }) => traceId === parent.trace && code === 2);
  assert.deepEqual(failed.map(({ name, events: list }) => [name, list.length]).sort(), [
    ["JobEntry", 0],
    ["back.pack", 1],
    ["process orders/pack", 0],
  ]);
});

test("what a client has caused is not an error, and a health check has no span", () => {
  const refused = spans
    .filter(({ name }) => name === "POST /stock")
    .find(({ attributes }) => attributes["http.response.status_code"] === 401);
  assert.deepEqual([refused?.status, refused?.events], [0, []]);
  assert.equal(
    spans.some(({ name }) => name.includes("/health")),
    false,
  );
});

test("no secret is sent: parameters, queries, headers, and path parameters named like one", () => {
  const sent = collector.bodies.map(({ text }) => text).join("\n");
  assert.ok(sent.includes("orders/pack"));
  for (const secret of Object.values(secrets)) assert.equal(sent.includes(secret), false, secret);
  assert.equal(sent.includes("process.command_args"), false);
});

test("the log lines of a trace have its id", () => {
  const request = frontLog.find(({ msg, path }) => msg === "request" && String(path).startsWith("/orders"));
  const { traceId, spanId } = find("POST /orders/:token");
  assert.deepEqual([request?.trace_id, request?.span_id], [traceId, spanId]);
  const packed = backLog.filter(({ msg }) => msg === "packed");
  assert.deepEqual(
    packed.map((line) => line.trace_id),
    [parent.trace, parent.trace],
  );
  assert.equal(backLog.find(({ msg }) => msg === "ready")?.trace_id, undefined);
});

test("metrics are sent too", () => {
  const sent = collector.bodies
    .filter(({ path }) => path === "/v1/metrics")
    .map(({ text }) => text)
    .join("\n");
  for (const name of ["http.server.request.duration", "http.client.request.duration", "db.client.operation.duration"]) {
    assert.ok(sent.includes(name), name);
  }
});

/** Runs one request through both services. */
async function runWith(variables: Record<string, string>) {
  return withFolder(async (folder) => {
    const sink = await Collector.start();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json", ...variables };
    const back = await Service.start(["back", `sqlite:${join(folder, "app.db")}`], env);
    const front = await Service.start(["front", "", back.url], env);
    await fetch(`${front.url}/orders/1?api_key=7`, { method: "POST", headers: { authorization: "Bearer x" } });
    await untilPacked(back);
    await front.stop();
    await back.stop();
    sink.stop();
    const idsOf = (service: Service) =>
      service.log.filter(({ msg }) => msg === "request" || msg === "packed").map((line) => line.trace_id);
    return { bodies: sink.bodies, ids: [...idsOf(front), ...idsOf(back)] };
  });
}

test("a trace that is not sampled has no spans, and one id in all its services and jobs", async () => {
  const { bodies, ids } = await runWith({ OTEL_TRACES_SAMPLER: "always_off", OTEL_METRICS_EXPORTER: "none" });
  assert.deepEqual(bodies, []);
  assert.equal(ids.length, 4);
  assert.match(String(ids[0]), /^[0-9a-f]{32}$/);
  assert.equal(new Set(ids).size, 1);
});

test("OTEL_SDK_DISABLED sends nothing and adds nothing to the log", async () => {
  const { bodies, ids } = await runWith({ OTEL_SDK_DISABLED: "true" });
  assert.deepEqual(bodies, []);
  assert.deepEqual(ids, [undefined, undefined, undefined, undefined]);
});
