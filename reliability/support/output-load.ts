import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerProcess } from "../../apps/reference/test/support/processes.ts";
import { sendRaw } from "../../packages/core/test/support/raw-socket.ts";
import { withFolder } from "../../packages/data/test/support/services.ts";
import { Figures, type PartOptions, type PartResult } from "../part.ts";
import { Caller, jsonOf } from "./caller.ts";
import { startService } from "./service.ts";

/** The standard output of a service, which can be broken and repaired while it runs. */
export interface Output {
  readonly how: string;
  readonly under?: readonly string[];
  readonly stdout?: number;
  break(server: ServerProcess): void;
  /** Missing where it cannot be repaired. */
  repair?(server: ServerProcess): void;
  /** All lines that arrived until now. */
  read(server: ServerProcess): string;
  close(): void;
}

const password = "correct horse";
const writers = 4;
const readers = 2;
const longPaths = 2;
/** The length of a path, so that a few hundred requests fill the buffer of the log. */
const pathBytes = 7500;
/** Bytes to log while the output is broken: one and a half times the buffer of the log. */
const enoughBytes = 1.5 * 1024 * 1024;
const patience = 10_000;

class Totals {
  requests = 0;
  /** Requests with a wrong response, or none. */
  readonly wrong: string[] = [];
  slowest = 0;
  created = 0;
  /** Created without a row, or a row without a 201. */
  mismatched = 0;
  refreshed = 0;
  readonly exits: (number | string | null)[] = [];
  slowestExit = 0;
  reports = 0;
  dropped = 0;
  brokenLines = 0;
}

/**
 * Breaks the output under load, twice: once it stays broken until after SIGTERM, and once it is repaired, so that the
 * service has to report the lines that it has dropped.
 */
export async function runWithBrokenOutput(
  open: (folder: string) => Output,
  { short, say }: Pick<PartOptions, "short" | "say">,
): Promise<PartResult> {
  const seconds = short ? 1.5 : 20;
  const totals = new Totals();
  let how = "";
  let canRepair = false;
  for (const repaired of [false, true]) {
    say(repaired ? "repaired before SIGTERM" : "broken until after SIGTERM");
    await withFolder(async (folder) => {
      const output = open(folder);
      how = output.how;
      canRepair = output.repair !== undefined;
      try {
        await runOnce(folder, output, { seconds, repaired: repaired && canRepair, totals });
      } finally {
        output.close();
      }
    });
  }
  const figures = new Figures()
    .show("output", how)
    .show("seconds", seconds * 2)
    .show("requests", totals.requests)
    .exactly("wrong responses", totals.wrong.length, 0)
    .show("posts created", totals.created)
    .exactly("201 without a row, or a row without 201", totals.mismatched, 0)
    .show("refreshed", totals.refreshed)
    .inTime("slowest response ms", totals.slowest, 2000)
    .exactly("exit code not 0", totals.exits.filter((code) => code !== 0).length, 0)
    .inTime("exit after SIGTERM s", totals.slowestExit / 1000, 3);
  if (canRepair) {
    figures
      .exactly("reports of dropped lines", totals.reports, 1)
      .atLeast("lines dropped", totals.dropped, 1)
      .exactly("lines that are not JSON", totals.brokenLines, 0);
  }
  for (const wrong of totals.wrong.slice(0, 3)) figures.note(wrong);
  return figures.done();
}

interface Run {
  readonly seconds: number;
  readonly repaired: boolean;
  readonly totals: Totals;
}

async function runOnce(folder: string, output: Output, { seconds, repaired, totals }: Run): Promise<void> {
  const database = join(folder, "blog.db");
  const server = await startService({
    env: { DATABASE_URL: `sqlite:${database}`, LOG_LEVEL: "info" },
    probed: false,
    ...(output.under === undefined ? {} : { under: output.under }),
    ...(output.stdout === undefined ? {} : { stdout: output.stdout }),
  });
  try {
    const load = new Load(server, totals);
    await load.begin();
    output.break(server);
    load.run();
    await Promise.all([sleep(seconds * 1000), load.logs(enoughBytes)]);
    if (repaired && server.alive) {
      output.repair?.(server);
      await readReports(server, output, totals);
    }
    const signalled = performance.now();
    const resting = load.rest();
    server.signal("SIGTERM");
    totals.exits.push((await Promise.race([server.ended, sleep(patience)]))?.code ?? "none");
    totals.slowestExit = Math.max(totals.slowestExit, performance.now() - signalled);
    await resting;
    compareRows(database, load.created, totals);
  } finally {
    if (server.alive) await server.kill();
  }
}

/** Waits for a report: writing works again. The load goes on meanwhile. */
async function readReports(server: ServerProcess, output: Output, totals: Totals): Promise<void> {
  const deadline = performance.now() + patience;
  let lines: string[] = [];
  while (!lines.some((line) => line.includes("log lines were dropped")) && performance.now() < deadline) {
    await sleep(20);
    lines = output.read(server).split("\n").slice(0, -1); // the last one may be incomplete
  }
  for (const line of lines) {
    try {
      const { dropped } = JSON.parse(line) as { readonly dropped?: number }; // the service's own line
      if (dropped === undefined) continue;
      totals.reports++;
      totals.dropped += dropped;
    } catch {
      totals.brokenLines++;
    }
  }
}

function compareRows(path: string, created: ReadonlySet<string>, totals: Totals): void {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const titles = new Set(
      database
        .prepare("select title from posts")
        .all()
        .map(({ title }) => String(title)),
    );
    totals.created += created.size;
    totals.mismatched += created.symmetricDifference(titles).size;
  } finally {
    database.close();
  }
}

/** Clients that know the expected response to each of their requests. */
class Load {
  /** The titles of the posts that got 201. */
  readonly created = new Set<string>();
  readonly #caller: Caller;
  readonly #server: ServerProcess;
  readonly #totals: Totals;
  #token = "";
  #refreshToken = "";
  #misses = 0;
  #running = true;
  #work: Promise<unknown> = Promise.resolve();

  constructor(server: ServerProcess, totals: Totals) {
    this.#server = server;
    this.#caller = new Caller(server.url);
    this.#totals = totals;
  }

  async begin(): Promise<void> {
    const email = `${randomUUID()}@example.com`;
    const registered = await this.#caller.call("POST", "/auth/register", { json: { email, password, name: "Ada" } });
    this.#token = jsonOf<{ token: string }>(registered).token;
    const login = await this.#caller.call("POST", "/auth/token", { json: { email, password } });
    this.#refreshToken = jsonOf<{ refresh_token: string }>(login).refresh_token;
  }

  run(): void {
    const many = (count: number, job: () => Promise<void>) => Array.from({ length: count }, job);
    this.#work = Promise.all([
      ...many(writers, () => this.#repeat(() => this.#write())),
      ...many(readers, () => this.#repeat(() => this.#read())),
      ...many(longPaths, () => this.#repeat(() => this.#miss())),
      this.#repeat(() => this.#refresh()),
      this.#repeat(() => this.#malform()),
    ]);
  }

  /** Waits until this many bytes were logged, for at most 30 s. */
  async logs(bytes: number): Promise<void> {
    const deadline = performance.now() + 30_000;
    while (this.#server.alive && this.#misses * pathBytes < bytes && performance.now() < deadline) await sleep(20);
  }

  /** Ends when every request has its response. */
  async rest(): Promise<void> {
    this.#running = false;
    await this.#work;
    this.#caller.close();
  }

  async #repeat(job: () => Promise<void>): Promise<void> {
    while (this.#running && this.#server.alive) await job();
  }

  async #write(): Promise<void> {
    const title = randomUUID();
    const json = { title, content: "c" };
    if (await this.#expect(201, "POST", "/posts", { json, token: this.#token })) this.created.add(title);
  }

  async #read(): Promise<void> {
    await this.#expect(200, "GET", "/posts?limit=1");
    await this.#expect(400, "POST", "/auth/login", { body: "{" });
  }

  async #miss(): Promise<void> {
    if (await this.#expect(404, "GET", `/${"x".repeat(pathBytes)}`)) this.#misses++;
  }

  async #refresh(): Promise<void> {
    const reply = await this.#expect(200, "POST", "/auth/refresh", { json: { refresh_token: this.#refreshToken } });
    if (reply === undefined) return;
    this.#refreshToken = jsonOf<{ refresh_token: string }>(reply).refresh_token;
    this.#totals.refreshed++;
  }

  /** Without a Host: refused before the kernel runs, and logged. */
  async #malform(): Promise<void> {
    const port = Number(new URL(this.#server.url).port);
    const { status } = await sendRaw(port, "GET / HTTP/1.1\r\n\r\n", { wait: patience });
    if (!this.#running && status === undefined) return; // a connection that came after SIGTERM
    this.#totals.requests++;
    if (status !== 400) this.#totals.wrong.push(`a malformed request: ${status ?? "no response"}`);
    await sleep(5); // each takes a port
  }

  async #expect(status: number, method: string, path: string, options: object = {}) {
    this.#totals.requests++;
    const name = `${method} ${path.slice(0, 20)}`;
    try {
      const reply = await this.#caller.call(method, path, { ...options, timeout: patience });
      this.#totals.slowest = Math.max(this.#totals.slowest, reply.time);
      if (reply.status === status) return reply;
      this.#totals.wrong.push(`${name}: ${reply.status} ${reply.text}`);
    } catch (error) {
      if (this.#running) this.#totals.wrong.push(`${name}: ${String(error)}`); // else it may have come after SIGTERM
    }
    return undefined;
  }
}
