import { spawn } from "node:child_process";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../../apps/reference/scripts/support/statistics.ts";
import { runFile } from "../../apps/reference/test/support/processes.ts";
import { withFolder } from "../../packages/data/test/support/services.ts";
import { works } from "../needs.ts";
import { Figures, type Part } from "../part.ts";
import { Caller } from "../support/caller.ts";
import { jwtSecret, withService } from "../support/service.ts";
import { SteadyLoad } from "../support/steady-load.ts";
import { connectionsOf } from "../support/tcp-table.ts";

/** Misbehaving clients, and the time after which the service must have closed them. */
interface Crowd {
  readonly name: string;
  readonly count: number;
  readonly first: string;
  /** Sent again every second. */
  readonly drip: string;
  /** Reads nothing. */
  readonly deaf?: boolean;
  /** The timeout of the service, in seconds: two more are allowed. */
  readonly timeout: number;
}

const batch = 50;
const host = "Host: localhost\r\n";
const crowds: readonly Crowd[] = [
  { name: "silent", count: 1000, first: "", drip: "", timeout: 10 },
  { name: "slow head", count: 300, first: `GET /posts HTTP/1.1\r\n${host}`, drip: "X-A: b\r\n", timeout: 10 },
  {
    name: "slow body",
    count: 300,
    first: `POST /auth/refresh HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 8000\r\n\r\n{`,
    drip: " ",
    timeout: 30,
  },
  {
    name: "deaf",
    count: 4,
    // more than the system buffers for a client that never reads
    first: `GET /posts HTTP/1.1\r\n${host}\r\n`.repeat(60),
    drip: "",
    deaf: true,
    timeout: 30,
  },
];

/** The plan's three attacks. */
const attacks: Readonly<Record<string, readonly string[]>> = {
  "/posts": ["-H", "-x", "24"],
  "/auth/refresh": ["-B", "-t", "POST", "-s", "8192", "-x", "10"],
  "/posts?limit=200": ["-X", "-w", "10", "-y", "20", "-n", "5", "-z", "32", "-k", "3"],
};

export const part: Part = {
  id: "S1",
  title: "slow heads, slow bodies, slow readers and 1,000 silent sockets, all at once",
  bar: "service available at every sample; legitimate p99 ≤ 500 ms; all closed ≤ timeout + 2 s",
  needs: [],
  alone: true,
  async run({ short, say }) {
    const seconds = short ? 15 : 38;
    const measured = crowds.filter(({ timeout }) => timeout + 2 < seconds);
    return withFolder(async (folder) => {
      const databaseUrl = `sqlite:${join(folder, "blog.db")}`;
      await seedPosts(databaseUrl);
      return withService({ env: { DATABASE_URL: databaseUrl } }, async (server) => {
        const figures = new Figures();
        const caller = new Caller(server.url);
        const load = new SteadyLoad(20, () => caller.call("GET", "/posts?limit=10", { timeout: 10_000 }));
        const port = Number(new URL(server.url).port);
        const waiting = measured.map((crowd) => pester(port, crowd, seconds));
        const availability = works("which", "slowhttptest")
          ? Object.entries(attacks).map(([path, args]) => slowhttptest(`${server.url}${path}`, args, seconds - 4))
          : [];
        const progress = setInterval(() => say(`${load.samples.length} legitimate requests`), 1000);
        const slowest = await Promise.all(waiting);
        const samples = (await Promise.all(availability)).flat();
        clearInterval(progress);
        const legitimate = await load.stop();
        caller.close();
        for (const [index, { name, timeout, count }] of measured.entries()) {
          figures.show(name, count).inTime(`${name} closed in s`, slowest[index] ?? Number.NaN, timeout + 2);
        }
        if (samples.length === 0) figures.note("slowhttptest is not on this machine: own clients only");
        else {
          figures
            .show("slowhttptest samples", samples.length)
            .exactly("service not available", samples.filter((sample) => sample !== "YES").length, 0);
        }
        return figures
          .show("legitimate requests", legitimate.length)
          .exactly("not 200", legitimate.filter(({ status }) => status !== 200).length, 0)
          .inTime(
            "legitimate p99 ms",
            percentile(
              legitimate.map(({ time }) => time),
              0.99,
            ),
            500,
          )
          .exactly("service alive", server.alive ? 1 : 0, 1)
          .done();
      });
    });
  },
};

async function seedPosts(databaseUrl: string): Promise<void> {
  const env = { DATABASE_URL: databaseUrl, JWT_SECRET: jwtSecret, BCRYPT_COST: "10" };
  const { code, stderr } = await runFile("src/main.cli.ts", env, { args: ["db", "seed", "--posts=300"] });
  if (code !== 0) throw new Error(stderr);
}

/** Seconds for which the service kept the socket that was closed last. */
async function pester(port: number, crowd: Crowd, seconds: number): Promise<number> {
  const sockets = new Set<Socket>();
  const ports = new Set<number>();
  const join = async () => {
    // the client keeps its side open after the service has closed its own, and goes on sending
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }).on("error", () => {});
    await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
    sockets.add(socket);
    ports.add(socket.localPort ?? 0);
    if (crowd.first !== "") socket.write(crowd.first);
    if (crowd.deaf === true) socket.pause();
    else socket.resume();
  };
  const stays = crowd.deaf === true ? undefined : watchStays(port, ports, crowd.count, seconds);
  // in batches, because the system drops connections that do not fit into its backlog
  for (let joined = 0; joined < crowd.count; joined += batch) {
    await Promise.all(Array.from({ length: Math.min(batch, crowd.count - joined) }, join));
  }
  if (stays === undefined) return untilGivenUp(port, sockets, seconds);
  const drip = setInterval(() => {
    if (crowd.drip !== "") for (const socket of sockets) if (socket.writable) socket.write(crowd.drip);
  }, 1000);
  const longest = await stays;
  clearInterval(drip);
  for (const socket of sockets) socket.destroy();
  return longest;
}

/**
 * The longest time since the service accepted a client. Read from the system, because a client whose peer has closed its
 * sending side gets no event when the socket is closed.
 */
async function watchStays(port: number, clients: ReadonlySet<number>, count: number, seconds: number): Promise<number> {
  const accepted = new Map<number, number>();
  let end = performance.now() + seconds * 1000;
  let closed = 0;
  let longest = 0;
  while (closed < count && performance.now() < end) {
    await sleep(100);
    const table = connectionsOf(port);
    const now = performance.now();
    for (const client of clients) {
      const isHeld = table.get(client)?.held === true;
      const since = accepted.get(client);
      if (isHeld && since === undefined) {
        accepted.set(client, now);
        end = now + seconds * 1000;
      }
      if (isHeld || since === undefined || Number.isNaN(since)) continue;
      longest = Math.max(longest, (now - since) / 1000);
      accepted.set(client, Number.NaN);
      closed++;
    }
  }
  return closed < count ? Number.POSITIVE_INFINITY : longest;
}

/** The same for clients that read nothing, counted from the last received byte. */
async function untilGivenUp(server: number, sockets: ReadonlySet<Socket>, seconds: number): Promise<number> {
  const stays: number[] = [];
  const watched = [...sockets].map((socket) => ({ socket, port: socket.localPort ?? 0, unsent: -1, since: 0 }));
  let end = performance.now() + seconds * 1000;
  while (stays.length < watched.length && performance.now() < end) {
    const table = connectionsOf(server);
    for (const client of watched.filter(({ since }) => since >= 0)) {
      const entry = table.get(client.port);
      if (entry?.open !== true) {
        stays.push((performance.now() - client.since) / 1000);
        client.since = -1;
      } else if (entry.unsent !== client.unsent) {
        client.unsent = entry.unsent;
        client.since = performance.now();
        end = client.since + seconds * 1000; // on a busy machine the buffers fill slowly
      }
    }
    await sleep(100);
  }
  for (const { socket } of watched) socket.destroy();
  return stays.length < watched.length ? Number.POSITIVE_INFINITY : Math.max(...stays);
}

/** The availability of the service, at each sample of slowhttptest. */
function slowhttptest(url: string, attack: readonly string[], seconds: number): Promise<string[]> {
  const args = ["-c", "300", "-i", "1", "-r", "150", "-l", String(seconds), ...attack, "-u", url];
  const child = spawn("slowhttptest", args, { stdio: ["ignore", "pipe", "ignore"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  return new Promise((resolve) => {
    child.once("close", () =>
      resolve([...said.matchAll(/service available:.*?(YES|NO)/g)].map((match) => match[1] ?? "")),
    );
  });
}
