import { realpathSync } from "node:fs";
import { join } from "node:path";
import { type EntryPoint, findEntryPoint } from "../run/entry-point.ts";
import { type Change, ChangeQueue } from "./change-queue.ts";
import { DevProcess, type Exit } from "./dev-process.ts";
import { type DevSecrets, readOrCreateSecrets, selectMissing } from "./dev-secrets.ts";
import { readEnvFiles } from "./env-files.ts";
import { FailedStartPage } from "./failed-start-page.ts";

export interface DevOptions {
  readonly folder: string;
  /** The entry point; found in the folder by default. */
  readonly entry?: string | undefined;
  /** The arguments of the application, such as `--port=3000`. */
  readonly words?: readonly string[];
  /** Ends the run. */
  readonly signal: AbortSignal;
}

/** Milliseconds that the application gets to stop. */
const defaultGrace = 3_000;

/** Runs an application and restarts it when its files change. */
export class DevServer {
  readonly #print: (line: string) => void;
  readonly #grace: number;

  /** Prints to standard error by default, because standard output is that of the application. */
  constructor(
    print: (line: string) => void = (line) => void process.stderr.write(`${line}\n`),
    grace: number = defaultGrace,
  ) {
    this.#print = print;
    this.#grace = grace;
  }

  /** Resolves after the signal, when the application has ended. */
  async run({ folder: given, entry: wanted, words = [], signal }: DevOptions): Promise<void> {
    signal.throwIfAborted();
    const first = findEntryPoint(given, wanted);
    const folder = realpathSync(given);
    const secrets = readOrCreateSecrets(folder);
    const state: DevState = { hasListened: false, url: undefined, page: new FailedStartPage(secrets.TENON_DEV_SECRET) };
    const start = (entry: EntryPoint) => {
      const env = toEnvironment(folder, entry, secrets, !state.hasListened);
      state.url ??= toUrl(words, { ...readEnvFiles(folder, entry.flags), ...env }, wanted);
      return new DevProcess({ folder, entry, words, env, grace: this.#grace });
    };
    const changes = new ChangeQueue(folder, signal);
    try {
      let current = start(first);
      this.#report(current, first.file, undefined, changes, state);
      for (let change = await changes.next(); change !== undefined; change = await changes.next()) {
        await current.stop();
        await state.page.close();
        const entry = findEntry(folder, wanted) ?? first; // package.json may be the file that is being edited
        current = start(entry);
        this.#report(current, entry.file, change, changes, state);
      }
      await current.stop();
    } finally {
      changes.close();
      await state.page.close();
    }
  }

  /** One line for a restart, and one when the application ends by itself. */
  #report(started: DevProcess, file: string, change: Change | undefined, changes: ChangeQueue, state: DevState): void {
    void started.listening.then((isListening) => {
      if (!isListening) return;
      if (change !== undefined && state.hasListened) {
        const seconds = ((performance.now() - change.time) / 1000).toFixed(1);
        this.#print(`restarted, ${seconds} s: ${describe(change.files)}`);
      }
      state.hasListened = true;
      if (started.url !== undefined) state.url = new URL(started.url);
    });
    void started.ended.then((exit) => {
      if (!changes.isWaiting) return; // it was stopped for a restart or the end
      this.#print(`${file} ${describeExit(exit)}: waiting for a change`);
      if (exit !== 0 && state.url?.protocol === "http:") state.page.open(state.url, started.report);
    });
  }
}

interface DevState {
  /** Whether the application has shown its banner, and only restarts from now on. */
  hasListened: boolean;
  /** Where it has listened, or where it is expected to. */
  url: URL | undefined;
  readonly page: FailedStartPage;
}

/** By flags and variables, and without an entry point that was named the default port of generated applications. */
function toUrl(words: readonly string[], env: NodeJS.ProcessEnv, entry: string | undefined): URL | undefined {
  const flag = (name: string) => words.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
  const port = flag("port") ?? env.PORT ?? (entry === undefined ? "8080" : "0");
  const host = flag("host") ?? env.HOST ?? "127.0.0.1";
  return port === "0"
    ? undefined
    : (URL.parse(`http://${host.includes(":") ? `[${host}]` : host}:${port}`) ?? undefined);
}

function findEntry(folder: string, wanted: string | undefined): EntryPoint | undefined {
  try {
    return findEntryPoint(folder, wanted);
  } catch {
    return undefined;
  }
}

function toEnvironment(folder: string, entry: EntryPoint, secrets: DevSecrets, isFirst: boolean): NodeJS.ProcessEnv {
  // biome-ignore lint/style/noProcessEnv: the application reads its configuration from the environment of the tool
  const inherited = process.env;
  const given = { ...readEnvFiles(folder, entry.flags), ...inherited };
  return {
    NODE_COMPILE_CACHE: join(folder, "node_modules/.cache/tenon/compile"), // halves the time of a restart
    ...inherited,
    ...selectMissing(folder, secrets, given),
    NODE_ENV: "development",
    TENON_DEV: isFirst ? "start" : "restart",
    TENON_DEV_SECRET: secrets.TENON_DEV_SECRET,
  };
}

function describe(files: readonly string[]): string {
  const [first, ...others] = files;
  return `${first}${others.length === 0 ? "" : ` and ${others.length} more`} changed`;
}

function describeExit(exit: Exit): string {
  if (exit === 0) return "ended";
  return typeof exit === "number" ? `failed with exit code ${exit}` : `was ended by ${exit}`;
}
