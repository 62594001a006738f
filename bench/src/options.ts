import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { type ScenarioName, scenarioNames } from "../peers/support/serve.ts";
import { type EngineName, engineNames } from "./jobs/engine.ts";
import { type LivePartName, livePartNames } from "./live/entrants.ts";
import { type PeerInfo, peers } from "./peers.ts";
import type { Measure } from "./results.ts";

export interface Options {
  readonly command: Command;
  readonly scenarios: readonly ScenarioName[];
  readonly peers: readonly PeerInfo[];
  readonly rounds: number;
  readonly seconds: number;
  readonly warmup: number;
  readonly tenon: "dist" | "source";
  readonly profile: boolean;
  readonly measure: Measure;
  /** Loads the peers of a scenario at the same time instead of in turn. */
  readonly together: boolean;
  /** The time limit of bars. */
  readonly minutes: number;
  /** The engines of background jobs to compare. */
  readonly engines: readonly EngineName[];
  /** The parts of the live bench. */
  readonly parts: readonly LivePartName[];
  readonly help: boolean;
}

export const commands = [
  "run",
  "startup",
  "router",
  "modules",
  "client",
  "routes",
  "bars",
  "connections",
  "observe",
  "compress",
  "jobs",
  "job-engines",
  "live",
  "overload",
] as const;
export type Command = (typeof commands)[number];

export const help = `npm run bench -- [command] [options]

Commands
  run        requests per second in every scenario, beside bare node:http (the default)
  startup    cold start to the first response; memory at rest and after 100,000 requests
  router     look-ups and building, beside other routers
  modules    injection and start of 1,000 modules
  client     tsc with a typed client of 1,000 routes and a call of each, and without; exit code 1 when it is too slow
  routes     tsc with 1,000 routes of route.get() and as records; exit code 1 when it is too slow
  bars       measures until it is clear which bars are met; exit code 1 when one is missed
  connections  the bars that need time on the clock: p99, memory of idle connections, workers
  observe    what the tracing channels cost without a subscriber, and traces with one, beside Fastify with its plugin
  compress   compressed JSON and precompressed files, beside Fastify with its plugins and bare node:http
  jobs       background jobs: throughput, latency and idle cost beside bare statements and other engines
  job-engines  what each engine of background jobs loses in a crash, about 12 minutes
  live       WebSockets and event streams: echo and fan-out beside bare ws, Socket.IO and node:http
  overload   GET /posts on PostgreSQL at 1, 2 and 4 times the capacity, beside Fastify without and with under-pressure;
             exit code 1 when a target is missed

Options
  --scenarios a,b,json   some scenarios, by letter or name: ${scenarioNames.join(", ")}
  --peers tenon,hono     some peers: ${peers.map(({ name }) => name).join(", ")}
  --rounds n             rounds, each with new servers, 1 to 100 (5)
  --seconds n            of load in each round, one in each turn, 1 to 60 (5)
  --warmup n             seconds of load before it, 1 to 60 (2); up to five times as many until 40,000 requests are done
  --quick                3 rounds of 2 seconds with 1 second of warm-up
  --by processor         ratios of processor time instead of requests per second: for a machine that is not idle
  --together             all peers of a scenario loaded at the same time, by processor time: the steadiest where others
                         use the machine too
  --tenon source         Tenon's source instead of what its packages publish; no build is needed then
  --profile              writes a CPU profile of every server on Node to bench/results/profiles
  --minutes n            the time limit of bars, connections, observe and compress, 1 to 60 (7); bars takes no other
                         option but --scenarios and --tenon
  --engines pg-boss      some engines of job-engines: ${engineNames.join(", ")}
  --parts echo           some parts of live: ${livePartNames.join(", ")}
`;

/** Throws with a readable message. */
export function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      scenarios: { type: "string", default: "" },
      peers: { type: "string", default: "" },
      rounds: { type: "string" },
      seconds: { type: "string" },
      warmup: { type: "string" },
      quick: { type: "boolean", default: false },
      tenon: { type: "string", default: "dist" },
      profile: { type: "boolean", default: false },
      by: { type: "string" },
      together: { type: "boolean", default: false },
      minutes: { type: "string" },
      engines: { type: "string" },
      parts: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const [command = "run", ...rest] = positionals;
  if (!isCommand(command) || rest.length > 0) {
    throw new Error(`unknown command "${positionals.join(" ")}". Commands: ${commands.join(", ")}.`);
  }
  if (values.tenon !== "dist" && values.tenon !== "source") throw new Error("--tenon takes dist or source");
  const measure = values.by ?? (values.together || isByProcessor(command) ? "processor" : "rate");
  if (measure !== "rate" && measure !== "processor") throw new Error("--by takes rate or processor");
  if (values.together && measure === "rate") throw new Error("--together compares by processor time only");
  if (measure === "processor" && !existsSync("/proc/self/schedstat")) {
    throw new Error(
      "this system does not tell the processor time of a process, which bars, --by processor and --together need",
    );
  }
  const { scenarios, tenon, minutes, help: _, ...others } = values;
  const hasBars = command === "connections" || isByProcessor(command);
  if (hasBars && Object.values(others).some(Boolean)) {
    throw new Error("bars, connections, observe and compress take only --scenarios, --tenon and --minutes");
  }
  if (!hasBars && minutes !== undefined) throw new Error("--minutes is for bars, connections, observe and compress");
  if (command !== "job-engines" && values.engines !== undefined) throw new Error("--engines is for job-engines");
  if (command !== "live" && values.parts !== undefined) throw new Error("--parts is for live");
  return {
    command,
    scenarios: pick(scenarios, scenarioNames, "scenario", (name, index) => [name, letterOf(index)]),
    peers: pick(values.peers, peers, "peer", ({ name }) => [name]).filter(
      ({ name, only }) => only === undefined || values.peers.split(",").includes(name),
    ),
    rounds: count("rounds", values.rounds, values.quick ? 3 : 5, 100),
    seconds: count("seconds", values.seconds, values.quick ? 2 : 5, 60),
    warmup: count("warmup", values.warmup, values.quick ? 1 : 2, 60),
    minutes: count("minutes", minutes, 7, 60),
    engines: pick(values.engines ?? "", engineNames, "engine", (name) => [name]),
    parts: pick(values.parts ?? "", livePartNames, "part", (name) => [name]),
    tenon,
    profile: values.profile,
    measure,
    together: values.together,
    help: values.help,
  };
}

function isByProcessor(command: Command): boolean {
  return command === "bars" || command === "observe" || command === "compress";
}

function isCommand(text: string): text is Command {
  return (commands as readonly string[]).includes(text);
}

function letterOf(index: number): string {
  return String.fromCharCode(0x61 + index);
}

function count(name: string, text: string | undefined, fallback: number, most: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new Error(`--${name} takes a whole number from 1 to ${most}, not "${text}"`);
}

/** All of them when none is named, in the order of `all`. */
function pick<T>(text: string, all: readonly T[], kind: string, namesOf: (item: T, index: number) => string[]): T[] {
  const wanted = text.split(",").filter((name) => name !== "");
  const unknown = wanted.find((name) => !all.some((item, index) => namesOf(item, index).includes(name)));
  if (unknown !== undefined) throw new Error(`there is no ${kind} "${unknown}": see --help`);
  return all.filter((item, index) => wanted.length === 0 || namesOf(item, index).some((name) => wanted.includes(name)));
}
