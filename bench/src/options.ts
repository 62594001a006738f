import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { type ScenarioName, scenarioNames } from "../peers/support/serve.ts";
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
  readonly help: boolean;
}

export const commands = ["run", "startup", "router", "modules", "bars"] as const;
export type Command = (typeof commands)[number];

export const help = `npm run bench -- [command] [options]

Commands
  run        requests per second in every scenario, beside bare node:http (the default)
  startup    cold start to the first answer; memory at rest and after 100,000 requests
  router     look-ups and building, beside other routers
  modules    injection and start of 1,000 modules
  bars       measures what the bars need and tells which are met; exit code 1 when one is missed

Options
  --scenarios a,b,json   some scenarios, by letter or name: ${scenarioNames.join(", ")}
  --peers tenon,hono     some peers: ${peers.map(({ name }) => name).join(", ")}
  --rounds n             rounds, each with new servers, 1 to 100 (5; 7 for bars)
  --seconds n            of load in each round, one in each turn, 1 to 60 (5; 8 for bars)
  --warmup n             seconds of load before it, 1 to 60 (2); up to five times as many until 100,000 requests are done
  --quick                3 rounds of 2 seconds with 1 second of warm-up
  --by processor         ratios of processor time in the place of requests per second: for a machine that is not idle
  --together             all peers of a scenario loaded at the same time, by processor time: the steadiest where others
                         use the machine too
  --tenon source         Tenon's source in the place of what its packages publish; no build is needed then
  --profile              writes a CPU profile of every server to bench/results/profiles
`;

/** Throws with a text for people. */
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
      help: { type: "boolean", default: false },
    },
  });
  const [command = "run", ...rest] = positionals;
  if (!isCommand(command) || rest.length > 0) {
    throw new Error(`unknown command "${positionals.join(" ")}". Commands: ${commands.join(", ")}.`);
  }
  if (values.tenon !== "dist" && values.tenon !== "source") throw new Error("--tenon takes dist or source");
  const measure = values.by ?? (values.together ? "processor" : "rate");
  if (measure !== "rate" && measure !== "processor") throw new Error("--by takes rate or processor");
  if (values.together && measure === "rate") throw new Error("--together compares by processor time only");
  if (measure === "processor" && !existsSync("/proc/self/schedstat")) {
    throw new Error(
      "this system does not tell the processor time of a process, which --by processor and --together need",
    );
  }
  if (command === "bars" && (values.scenarios !== "" || values.peers !== "" || values.profile)) {
    throw new Error(
      "bars measures every scenario, and the peers that it compares: no --scenarios, --peers or --profile",
    );
  }
  return {
    command,
    scenarios: pick(values.scenarios, scenarioNames, "scenario", (name, index) => [name, letterOf(index)]),
    peers: pick(values.peers, peers, "peer", ({ name }) => [name]),
    rounds: count("rounds", values.rounds, values.quick ? 3 : command === "bars" ? 7 : 5, 100),
    seconds: count("seconds", values.seconds, values.quick ? 2 : command === "bars" ? 8 : 5, 60),
    warmup: count("warmup", values.warmup, values.quick ? 1 : 2, 60),
    tenon: values.tenon,
    profile: values.profile,
    measure,
    together: values.together,
    help: values.help,
  };
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
