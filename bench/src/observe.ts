import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ScenarioName } from "../peers/support/serve.ts";
import { type BarResult, measureParts, Part } from "./bar.ts";
import { atLeast, peerOf, scenarioOf } from "./bars.ts";
import type { Contest } from "./entrant.ts";
import { prepareLoad } from "./load.ts";
import type { Options } from "./options.ts";
import { buildPackages, createFolder } from "./prepare.ts";
import { Progress } from "./progress.ts";
import { runRound } from "./run.ts";
import { createScenarios } from "./scenarios.ts";
import { intervalOf } from "./statistics.ts";

const load = { together: true, seconds: 3, warmup: 1 };
/** Rounds without subscribers: enough for an interval of about one percent. */
const checkRounds = 12;

/** What observability costs: without subscribers, and with one trace in ten. By processor time of a request. */
export async function measureObserve(options: Options): Promise<BarResult[]> {
  const limit = options.minutes * 60_000;
  const progress = new Progress(limit, () => performance.now());
  progress.show("preparing");
  const folder = createFolder();
  const scenarios = await createScenarios();
  if (options.tenon === "dist") buildPackages();
  const sink = await openSink();
  Object.assign(process.env, {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(sink.address() as AddressInfo).port}`, // it listens on a TCP port
    OTEL_METRICS_EXPORTER: "none",
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.1",
  });
  const server = { tenon: options.tenon, database: "" };

  /** Each value: how many requests the second serves in the processor time of one of the first. */
  const compare = (name: ScenarioName, pairs: readonly (readonly [string, string])[]) => {
    const scenario = scenarioOf(scenarios, name);
    const script = prepareLoad(scenario, folder);
    const contests = pairs.flat().map((peer): Contest => ({ peer: peerOf(peer), scenario, script }));
    return async (round: number) => {
      const show = (detail: string) =>
        progress.show(`round ${round + 1}, ${scenario.letter}) ${scenario.title}`, detail);
      const samples = await runRound(contests, server, { ...load, round, show });
      return pairs.map((_, index) => {
        const [base, other] = samples.slice(2 * index, 2 * index + 2).map(({ processor }) => processor);
        return (base ?? Number.NaN) / (other ?? Number.NaN);
      });
    };
  };
  const unsubscribed = atLeast("(a) without subscribers, to a kernel without the check", 0.97);
  const withoutSubscribers = compare("json", [["tenon-unobserved", "tenon"]]);
  const traced = (name: ScenarioName, letter: string) =>
    new Part(
      [
        atLeast(`(${letter}) one trace in ten, to none`, 0.85),
        atLeast(`(${letter}) the same of Fastify with @fastify/otel`, 0), // for comparison
      ],
      compare(name, [
        ["tenon", "tenon-observe"],
        ["fastify", "fastify-otel"],
      ]),
    );
  try {
    const values: number[] = [];
    const begin = performance.now();
    while (values.length < checkRounds && performance.now() < limit / 2)
      values.push(...(await withoutSubscribers(values.length)));
    const seconds = (performance.now() - begin) / 1000;
    const results = await measureParts([traced("json", "a"), traced("params", "b")], () => performance.now() < limit);
    return [{ ...unsubscribed, values, seconds }, ...results];
  } finally {
    progress.end();
    sink.closeAllConnections();
    sink.close();
  }
}

/** Whether the check without subscribers is lost in the noise: the interval contains no difference. */
export function describeCheck([result]: readonly BarResult[]): string {
  const { low, high } = intervalOf(result?.values ?? []);
  const percent = (ratio: number) => `${((ratio - 1) * 100).toFixed(1)} %`;
  const contains = low <= 1 && high >= 1 ? "contains" : "does not contain";
  return `Without subscribers: ${percent(low)} to ${percent(high)}, which ${contains} 0.`;
}

/** Takes what the servers export. */
async function openSink(): Promise<Server> {
  const sink = createServer((request, response) => {
    // an empty body is a valid response in protobuf: for another one the exporter logs a warning each time
    request.resume().once("end", () => response.writeHead(200, { "content-type": "application/x-protobuf" }).end());
  });
  sink.listen(0, "127.0.0.1");
  await once(sink, "listening");
  return sink;
}
