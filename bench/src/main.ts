import { mkdirSync, writeFileSync } from "node:fs";
import { verdictOf } from "./bar.ts";
import { measureBars, toBarTable } from "./bars.ts";
import { toChart } from "./chart.ts";
import { isMissed, measureClients, toClientTable } from "./client.ts";
import { measureCompress } from "./compress.ts";
import { measureConnections } from "./connections.ts";
import { isTooSlow, measureForms, toFormTable } from "./declared-routes.ts";
import { describeSetting } from "./machine.ts";
import { measureModules, toModulesText } from "./modules.ts";
import { describeCheck, measureObserve } from "./observe.ts";
import { help, type Options, parseOptions } from "./options.ts";
import { withoutMissing } from "./peers.ts";
import { checkInstalled } from "./prepare.ts";
import { summarize } from "./results.ts";
import { measureRouters, toRouterTables } from "./router.ts";
import { runScenarios } from "./run.ts";
import { createScenarios } from "./scenarios.ts";
import { measureStarts, toStartTable } from "./startup.ts";
import { toScenarioTables } from "./table.ts";

const results = new URL("../results/", import.meta.url);

async function main(options: Options): Promise<void> {
  if (options.command !== "client" && options.command !== "routes") checkInstalled();
  switch (options.command) {
    case "run":
      return runAll({ ...options, peers: withoutMissing(options.peers) });
    case "startup": {
      const peers = withoutMissing(options.peers);
      const result = await measureStarts({ ...options, peers });
      console.log(toStartTable(result, peers));
      return save("startup.json", { samples: result.samples, loaded: Object.fromEntries(result.loaded) });
    }
    case "router": {
      const result = await measureRouters();
      console.log(toRouterTables(result));
      return save("router.json", result);
    }
    case "modules": {
      const result = measureModules(options);
      console.log(toModulesText(result));
      return save("modules.json", result);
    }
    case "client": {
      const results = measureClients(options);
      console.log(toClientTable(results));
      if (isMissed(results)) process.exitCode = 1;
      return;
    }
    case "routes": {
      const results = measureForms(options);
      console.log(toFormTable(results));
      if (isTooSlow(results)) process.exitCode = 1;
      return;
    }
    case "jobs": {
      const { measureJobs, toJobsTable } = await import("./jobs/measure-jobs.ts"); // as below
      const result = await measureJobs(options.rounds);
      console.log(toJobsTable(result));
      return save("jobs.json", result);
    }
    case "live": {
      const { measureLive, toLiveTable } = await import("./live/measure-live.ts");
      const result = await measureLive(options);
      console.log(toLiveTable(result));
      return save("live.json", result);
    }
    case "overload": {
      const { isMissed, measureOverload, toOverloadTable } = await import("./overload.ts"); // as below
      const results = await measureOverload(options);
      console.log(toOverloadTable(results));
      save("overload.json", { results });
      if (isMissed(results)) process.exitCode = 1;
      return;
    }
    case "job-engines": {
      const { toCrashTables, tryEngines } = await import("./jobs/job-engines.ts"); // loads only what is installed here
      const results = await tryEngines(options.engines);
      console.log(toCrashTables(results));
      return save("job-engines.json", { results });
    }
    case "observe": {
      const bars = await measureObserve(options);
      console.log(`${toBarTable(bars)}\n${describeCheck(bars)}`);
      return save("observe.json", { bars });
    }
    case "bars":
    case "compress":
    case "connections": {
      const measure = { bars: measureBars, compress: measureCompress, connections: measureConnections };
      const bars = await measure[options.command](options);
      console.log(toBarTable(bars));
      save(`${options.command}.json`, { bars });
      if (bars.some((bar) => verdictOf(bar) === "missed")) process.exitCode = 1;
    }
  }
}

async function runAll(options: Options): Promise<void> {
  const setting = describeSetting();
  const samples = await runScenarios(options);
  const summaries = summarize(samples, options.measure);
  const scenarios = await createScenarios();
  const bun = options.peers.some(({ runtime }) => runtime === "bun") ? `; Bun ${setting.versions.bun}` : "";
  console.log(`${setting.machine}; Node ${setting.node}${bun}; ${setting.load}\n`);
  console.log(toScenarioTables(summaries, scenarios));
  save("run.json", { options, summaries, samples });
  if (summaries.some(({ ratio }) => ratio !== undefined)) {
    writeFileSync(new URL("chart.svg", results), toChart(summaries, scenarios, setting, options));
    console.log("\nwritten: bench/results/run.json, bench/results/chart.svg");
  } else console.log("\nwritten: bench/results/run.json; a chart needs bare node:http among the peers");
}

function save(name: string, value: object): void {
  mkdirSync(results, { recursive: true });
  writeFileSync(new URL(name, results), `${JSON.stringify({ setting: describeSetting(), ...value }, null, 2)}\n`);
}

// stops all servers and deletes all folders
for (const [signal, code] of [
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.once(signal, () => process.exit(code));
}

try {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) console.log(help.trimEnd());
  else await main(options);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
