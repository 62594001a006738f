import { fork } from "node:child_process";
import { withoutApplication } from "../scripts/test/shell.ts";
import type { PartResult } from "./part.ts";

/** Milliseconds for a part that is cut at its limit to keep its files and to end what it has started. */
const grace = 60_000;

/** Runs a part in its own process, which sends its progress and its result, and ends it at the limit, in milliseconds. */
export function runChild(
  [script = "", ...args]: readonly string[],
  options: { readonly limit: number; readonly onProgress: (text: string) => void },
): Promise<PartResult> {
  const child = fork(script, args, {
    execArgv: ["--conditions=@tenon/source", "--disable-warning=ExperimentalWarning"],
    env: withoutApplication(process.env),
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-4000);
    });
  }
  let late = false;
  let timer = setTimeout(() => {
    late = true;
    child.kill("SIGTERM"); // ends it at once, unless it has files to keep: keepFiles()
    timer = setTimeout(() => child.kill("SIGKILL"), grace);
  }, options.limit);
  let result: PartResult | undefined;
  child.on("message", (message: { readonly progress?: string; readonly result?: PartResult }) => {
    if (message.progress !== undefined) options.onProgress(message.progress);
    if (message.result !== undefined) result = message.result;
  });
  return new Promise((resolve) => {
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      const how = late ? `took longer than ${options.limit / 1000} s` : `ended with ${code ?? signal} and no figures`;
      resolve(result ?? { figures: {}, ok: false, note: `it ${how}: ${said.trim()}` });
    });
  });
}
