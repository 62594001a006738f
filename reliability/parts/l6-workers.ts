import { setTimeout as sleep } from "node:timers/promises";
import { ChildServer } from "../../packages/core/test/support/child-server.ts";
import { openSocketsOf } from "../../packages/core/test/support/open-files.ts";
import { Random } from "../../packages/core/test/support/random.ts";
import { type RawResponse, sendRaw } from "../../packages/core/test/support/raw-socket.ts";
import { until } from "../../packages/core/test/support/until.ts";
import { Figures, type Part } from "../part.ts";

const slowRequests = 20;
const burst = 300;
const killClients = 16;
const restartClients = 64;
/** Milliseconds in which four workers have started. */
const startWindow = 1500;
/** Milliseconds after which a connection without a response counts as stranded. */
const patience = 20_000;

class Totals {
  /** Fully sent before a signal, and without a response. */
  failedAtStart = 0;
  failedUnderLoad = 0;
  /** Failed requests of clients that connect for each request while the workers are replaced. */
  failedInRestart = 0;
  servedInRestart = 0;
  sent = 0;
  exits: unknown[] = [];
  served = 0;
  /** Closed without a response after a worker was killed. */
  cut = 0;
  stranded = 0;
  leaked = 0;
}

export const part: Part = {
  id: "L6",
  title: "four workers: SIGTERM and SIGHUP while they start and under load, kill -9 of workers",
  bar: "every request that was sent before a signal is answered, and every one during a rolling restart; 30 killed workers leave no connection open and no descriptor in the primary",
  needs: [],
  alone: true,
  async run({ short, seed, say }) {
    const random = new Random(seed);
    const rounds = short ? 2 : 12;
    const kills = short ? 6 : 30;
    const totals = new Totals();
    for (let round = 0; round < rounds; round++) {
      say(`${round} of ${rounds} rounds of signals`);
      const signal = round % 2 === 0 ? "SIGTERM" : "SIGHUP";
      await signalDuringStart(signal, random, totals);
      await signalUnderLoad(signal, random, totals);
    }
    await killWorkers(kills, random, totals, (done) => say(`${done} of ${kills} kills`));
    return new Figures()
      .show("seed", String(random.seed))
      .show("rounds", rounds)
      .show("requests sent before a signal", totals.sent)
      .exactly("of them failed during start", totals.failedAtStart, 0)
      .exactly("of them failed under load", totals.failedUnderLoad, 0)
      .atLeast("served during rolling restarts", totals.servedInRestart, rounds)
      .exactly("failed during rolling restarts", totals.failedInRestart, 0)
      .exactly("exit code not 0", totals.exits.filter((code) => code !== 0).length, 0)
      .show("kills", kills)
      .atLeast("served around them", totals.served, kills)
      .show("cut by them", totals.cut)
      .exactly("stranded", totals.stranded, 0)
      .exactly("descriptors left in the primary", totals.leaked, 0)
      .done();
  },
};

const request = (server: ChildServer, path: string): Promise<RawResponse> =>
  sendRaw(server.port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`, { wait: patience });

const countFailed = (responses: readonly RawResponse[]) => responses.filter(({ status }) => status !== 200).length;

/** The first worker serves while the others start. */
function signalDuringStart(signal: "SIGTERM" | "SIGHUP", random: Random, totals: Totals): Promise<void> {
  return ChildServer.run("workers.ts", ["four"], async (server) => {
    if ((await request(server, "/")).status !== 200) totals.failedAtStart++;
    await sleep(random.below(startWindow));
    const slow = Array.from({ length: slowRequests }, () => request(server, "/wait/300"));
    await sleep(100);
    server.signal(signal);
    totals.sent += slowRequests;
    totals.failedAtStart += countFailed(await Promise.all(slow));
    if (signal === "SIGHUP") await untilRestarted(server);
    totals.exits.push(await (signal === "SIGHUP" ? stop(server) : server.exit()));
  });
}

/** More requests than the workers can handle at once: some wait to be accepted. */
function signalUnderLoad(signal: "SIGTERM" | "SIGHUP", random: Random, totals: Totals): Promise<void> {
  return ChildServer.run("workers.ts", ["four"], async (server) => {
    await server.waitFor("with 4 workers");
    const sent = Array.from({ length: burst }, () => request(server, "/busy/5"));
    await sleep(100 + random.below(200));
    server.signal(signal);
    totals.sent += burst;
    totals.failedUnderLoad += countFailed(await Promise.all(sent));
    if (signal === "SIGTERM") {
      totals.exits.push(await server.exit());
      return;
    }
    const end = connectAnew(server, restartClients);
    await untilRestarted(server);
    const { served, cut, stranded } = await end();
    totals.servedInRestart += served;
    totals.failedInRestart += cut + stranded;
    totals.exits.push(await stop(server));
  });
}

/** Clients that send each request on a connection of its own. Returns the function that ends them. */
function connectAnew(server: ChildServer, clients: number) {
  const counts = { served: 0, cut: 0, stranded: 0 };
  let isOver = false;
  const ended = Promise.all(
    Array.from({ length: clients }, async () => {
      while (!isOver) {
        const { status, closed } = await request(server, "/busy/1");
        if (status === 200) counts.served++;
        else if (closed) counts.cut++;
        else counts.stranded++;
      }
    }),
  );
  return async () => {
    isOver = true;
    await ended;
    return counts;
  };
}

/** Also ends when the service does: its exit code is counted. */
async function untilRestarted(server: ChildServer): Promise<void> {
  await Promise.race([server.waitFor("the workers were restarted"), server.exit()]);
}

function stop(server: ChildServer): Promise<unknown> {
  server.signal("SIGTERM");
  return server.exit();
}

function killWorkers(kills: number, random: Random, totals: Totals, onKill: (done: number) => void): Promise<void> {
  return ChildServer.run("workers.ts", ["four"], async (server) => {
    await server.waitFor("with 4 workers");
    const before = openSocketsOf(server.pid).length;
    const end = connectAnew(server, killClients);
    try {
      for (let done = 0; done < kills; done++) {
        onKill(done);
        await sleep(random.below(300));
        const { text } = await request(server, "/");
        const pid = Number(/"pid":(\d+)/.exec(text)?.[1]);
        const started = server.lines.filter((line) => line.startsWith("started")).length;
        process.kill(pid, "SIGKILL");
        await server.waitFor("started", started + 1);
      }
    } finally {
      Object.assign(totals, await end());
    }
    const left = () => openSocketsOf(server.pid).length - before;
    await until(
      () => left() <= 0,
      "end of descriptors",
      () => sleep(100),
    ).catch(() => {
      totals.leaked = left();
    });
    totals.exits.push(await stop(server));
  });
}
