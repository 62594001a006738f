import { Random } from "../../packages/core/test/support/random.ts";
import { OwnPostgres } from "../../packages/data/test/support/own-postgres.ts";
import { OwnRedis } from "../../packages/data/test/support/own-redis.ts";
import { freePort } from "../../packages/data/test/support/ports.ts";
import { Figures, type Part } from "../part.ts";
import { type CrashReport, crashLoop, type Victim } from "../support/crash-loop.ts";
import { startService } from "../support/service.ts";

export const part: Part = {
  id: "D3",
  title: "kill -9 of the service, of PostgreSQL and of Redis under load",
  bar: "service 100, postmaster 30, Redis 30: lost 0, a used refresh token never valid again, the service reconnects ≤ 2 s after the server is back",
  needs: ["own postgres", "own redis"],
  alone: true, // as D1
  async run(options) {
    const random = new Random(options.seed);
    const figures = new Figures().show("seed", String(random.seed));
    const postgres = await OwnPostgres.make();
    const redis = await OwnRedis.make();
    const port = String(await freePort());
    const start = () =>
      startService({ probed: false, env: { DATABASE_URL: postgres.url, REDIS_URL: redis.url, PORT: port } });
    let server = await start();
    const servers: Readonly<Record<string, { readonly kills: number; readonly victim: Victim; readonly bar: number }>> =
      {
        service: {
          kills: options.short ? 5 : 100,
          bar: 3000,
          victim: {
            kill: () => server.kill(),
            revive: async () => {
              const since = performance.now();
              server = await start();
              return since;
            },
          },
        },
        PostgreSQL: { kills: options.short ? 3 : 30, bar: 2000, victim: revivable(postgres) },
        Redis: { kills: options.short ? 3 : 30, bar: 2000, victim: revivable(redis) },
      };
    try {
      for (const [name, { kills, victim, bar }] of Object.entries(servers)) {
        let done = 0;
        const onKill = () => options.say(`${name}: kill ${++done} of ${kills}`);
        judge(figures, name, bar, await crashLoop(victim, { service: () => server, kills, random, onKill }));
      }
      return figures.exactly("service alive", server.alive ? 1 : 0, 1).done();
    } finally {
      await server.kill();
      await Promise.all([postgres.remove(), redis.remove()]);
    }
  },
};

function revivable(store: { kill(): Promise<void>; start(): Promise<void> }): Victim {
  return {
    kill: () => store.kill(),
    revive: async () => {
      await store.start();
      return performance.now();
    },
  };
}

function judge(figures: Figures, name: string, bar: number, report: CrashReport): void {
  const { kills, acknowledged, lost, undone, slowestRecovery } = report;
  figures
    .show(`${name} kills`, kills)
    .show(`${name} acknowledged`, acknowledged)
    .exactly(`${name} lost`, lost.length, 0)
    .exactly(`${name} undone`, undone.length, 0)
    .inTime(`${name} back in s`, slowestRecovery / 1000, bar / 1000)
    .holds(`${name}: the load was acknowledged`, acknowledged > kills);
  if (lost.length + undone.length > 0) figures.note([...lost, ...undone].slice(0, 5).join(", "));
}
