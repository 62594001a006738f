import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { endWithUs } from "./children.ts";
import { pinned } from "./cores.ts";
import type { BenchRequest, Scenario } from "./scenarios.ts";

export interface Measured {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Unsuccessful responses and failed connections. */
  readonly errors: number;
}

export const connections = 64;
export const loadTool = spawnSync("wrk", ["--version"]).error === undefined ? "wrk" : "autocannon";

/** Writes a scenario's requests to a file for the load tool. `folder` is deleted after the run. */
export function prepareLoad(scenario: Scenario<string>, folder: string): string {
  if (loadTool === "autocannon") {
    const file = join(folder, `${scenario.name}.json`);
    writeFileSync(file, JSON.stringify(scenario.requests));
    return file;
  }
  const [first] = scenario.requests;
  if (first === undefined) throw new Error(`${scenario.name} has no request`);
  const lines = join(folder, `${scenario.name}.txt`);
  writeFileSync(lines, scenario.requests.map(toLine).join(""));
  const body = first.body === undefined ? "nil" : quote(first.body); // an empty text would go with a Content-Length
  const file = join(folder, `${scenario.name}.lua`);
  writeFileSync(
    file,
    `local requests, turn = {}, 0
init = function()
  for line in io.lines(${quote(lines)}) do
    local fields, headers = {}, {}
    for field in line:gmatch("[^\t]+") do fields[#fields + 1] = field end
    for index = 2, #fields, 2 do headers[fields[index]] = fields[index + 1] end
    requests[#requests + 1] = wrk.format(${quote(first.method)}, fields[1], headers, ${body})
  end
end
request = function()
  turn = turn % #requests + 1
  return requests[turn]
end
done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format('\\n{"requests":%d,"seconds":%.6f,"p50":%.3f,"p99":%.3f,"errors":%d}\\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
`,
  );
  return file;
}

/** The path, and the names and values of the headers, none of which holds a tab. */
function toLine({ path, headers }: BenchRequest): string {
  return `${[path, ...Object.entries(headers).flat()].join("\t")}\n`;
}

function quote(text: string): string {
  return JSON.stringify(text); // Lua reads the escapes that JSON makes of printable ASCII in the same way
}

export async function load(port: number, script: string, seconds: number): Promise<Measured> {
  const url = `http://127.0.0.1:${port}`;
  const command: [string, ...string[]] =
    loadTool === "wrk"
      ? ["wrk", "-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "10s", "-s", script, url]
      : [process.execPath, fileURLToPath(new URL("./autocannon.ts", import.meta.url)), url, script, String(seconds)];
  const output = await run(pinned("load", command), (seconds + 15) * 1000);
  const line = output.split("\n").findLast((text) => text.startsWith("{"));
  if (line === undefined) throw new Error(`${loadTool} said nothing that can be read:\n${output}`);
  const measured: Measured = JSON.parse(line);
  if (measured.errors > 0) throw new Error(`${measured.errors} of ${measured.requests} requests failed`);
  return measured;
}

/** The output of a command that succeeds within so many milliseconds. */
export function run([command, ...args]: readonly [string, ...string[]], timeout: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = endWithUs(spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], timeout }));
    let output = "";
    child.stdout.on("data", (text) => (output += String(text)));
    child.stderr.on("data", (text) => (output += String(text)));
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${command} ended with ${code}:\n${output}`));
    });
  });
}
