// What the runs of `npm run test:stress` are disturbed by, in their order.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../packages/core/test/support/random.ts";
import { canFindProcesses, findDescendants, findStopped, signal } from "./processes.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** How a disturbed run is started. */
export interface Setting {
  /** Defaults to `npm test`. */
  readonly command?: readonly string[];
  readonly cwd?: string;
  /** Added to the environment; undefined removes a variable. */
  readonly env?: Environment;
  /** Disturbs the process and its descendants until the signal. */
  readonly disturb?: (pid: number | undefined, ended: AbortSignal) => Promise<void>;
  readonly close?: () => void;
}

export interface Disturbance {
  readonly name: string;
  /** Whether it draws from `random`. */
  readonly isRandom?: true;
  /** What the machine lacks for it. */
  readonly missing?: () => string | undefined;
  /** The round counts from 0: a later one may use another value. */
  readonly prepare: (options: { readonly random: Random; readonly round: number }) => Setting | Promise<Setting>;
}

const timeZones = ["Asia/Kathmandu", "America/St_Johns", "Pacific/Kiritimati"];
const closed = "127.0.0.1:1"; // port 1 refuses

export const disturbances: readonly Disturbance[] = [
  { name: "two busy loops", prepare: () => ({ disturb: keepBusy }) },
  {
    name: "one core",
    missing: () => (has("taskset") ? undefined : "needs taskset"),
    prepare: () => ({ command: ["taskset", "-c", firstCore(), "npm", "test"] }),
  },
  {
    name: "pauses",
    isRandom: true,
    missing: () => (canFindProcesses ? undefined : "needs /proc"),
    prepare: ({ random }) => ({ disturb: (pid, ended) => pause(random, pid, ended) }),
  },
  { name: "another time zone", prepare: ({ round }) => ({ env: { TZ: timeZones[round % timeZones.length] } }) },
  { name: "LANG=C", prepare: () => ({ env: { LANG: "C", LC_ALL: "C" } }) },
  { name: "NODE_ENV=production", prepare: () => ({ env: { NODE_ENV: "production" } }) },
  { name: "PORT set", prepare: () => ({ env: { PORT: "8080" } }) },
  {
    name: "a folder with a space and an accent",
    missing: () => (has("git") ? undefined : "needs git"),
    prepare: copyWorkspace,
  },
  {
    name: "no services",
    prepare: () => ({
      env: {
        TEST_POSTGRES_URL: `postgres://postgres@${closed}/postgres`,
        TEST_REDIS_URL: `redis://${closed}`,
        TEST_POOLER_URL: undefined,
        CHROMIUM: "/nonexistent/chromium",
        REQUIRE_SERVICES: undefined,
      },
    }),
  },
  {
    name: "umask 077, no home, Turkish",
    prepare: () => ({
      command: ["sh", "-c", "umask 077 && exec npm test"],
      env: { HOME: "/dev/null", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" },
    }),
  },
];

function has(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;
}

/** The first core that this process may use. */
function firstCore(): string {
  return /^Cpus_allowed_list:\s*(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
}

async function keepBusy(_pid: number | undefined, ended: AbortSignal): Promise<void> {
  // each ends with its parent: the parent's end closes its standard input, which the loop looks at ten times a second
  const loop = `
    process.stdin.once("end", () => process.exit()).resume();
    (function turn() { for (const end = Date.now() + 100; Date.now() < end; ); setImmediate(turn); })();`;
  const loops = [1, 2].map(() => spawn(process.execPath, ["--eval", loop], { stdio: ["pipe", "ignore", "inherit"] }));
  await untilAborted(ended);
  for (const { stdin } of loops) stdin?.end();
}

/** Stops one process after another for a fifth of a second to a second, so that each of them waits now and then. */
async function pause(random: Random, pid: number | undefined, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    await sleep(random.below(1000), undefined, { signal: ended }).catch(() => {});
    const stopped = findStopped(); // by tests, which count on it
    const running = findDescendants(pid).filter((one) => !stopped.has(one));
    if (ended.aborted || running.length === 0) continue;
    const paused = random.pick(running);
    const resume = () => void signal(paused, "SIGCONT");
    process.once("exit", resume);
    signal(paused, "SIGSTOP");
    await sleep(200 + random.below(800));
    resume();
    process.off("exit", resume);
  }
}

function untilAborted(ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => ended.addEventListener("abort", () => resolve(), { once: true }));
}

/** A copy of the files that git knows or would add, as they are now, and of what is installed. */
function copyWorkspace(): Setting {
  const folder = mkdtempSync(join(tmpdir(), "tenon-"));
  const cwd = join(folder, "ein Café");
  const list = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    encoding: "utf8",
  });
  for (const file of new Set(list.split("\0"))) {
    if (file === "" || !existsSync(file)) continue; // deleted, and git has not been told yet
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    cpSync(file, join(cwd, file));
  }
  // the links of a workspace are relative, and lead to the packages of the copy
  if (existsSync("node_modules"))
    cpSync("node_modules", join(cwd, "node_modules"), { recursive: true, verbatimSymlinks: true });
  return { cwd, close: () => rmSync(folder, { recursive: true, force: true }) };
}
