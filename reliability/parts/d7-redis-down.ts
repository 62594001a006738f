import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { register } from "../../apps/reference/scripts/support/reference-app.ts";
import { startProxy } from "../../packages/data/test/support/fault-proxy.ts";
import { OwnRedis } from "../../packages/data/test/support/own-redis.ts";
import { withFolder } from "../../packages/data/test/support/services.ts";
import { Figures, type Part } from "../part.ts";
import { Caller } from "../support/caller.ts";
import { withService } from "../support/service.ts";
import { type Sample, SteadyLoad } from "../support/steady-load.ts";

const rate = 25;
const flaps = 20;
const atOnce = 3000;

export const part: Part = {
  id: "D7",
  title: "Redis down, silent and flapping",
  bar: "bearer routes 100 % ok; session routes 500 or 503 ≤ 1 s, never valid; reconnects ≤ 2 s; at most 1,000 commands wait",
  needs: ["own redis"],
  async run({ short, say }) {
    const redis = await OwnRedis.make();
    const { proxy, url } = await startProxy(redis.url, 6379);
    try {
      return await withFolder((folder) =>
        withService({ env: { DATABASE_URL: `sqlite:${join(folder, "blog.db")}`, REDIS_URL: url } }, async (server) => {
          const figures = new Figures();
          const user = { email: "ada@example.com", password: "correct horse", name: "Ada" };
          const token = await register(server.url, user);
          const caller = new Caller(server.url);
          const opened = await caller.call("POST", "/auth/session", { json: user });
          const cookie = opened.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
          const withSession = () => caller.call("GET", "/auth/session", { headers: { cookie } });
          const withToken = () => caller.call("GET", "/auth/me", { token });
          figures.exactly("session before", (await withSession()).status, 200);

          const bearer = new SteadyLoad(rate, withToken);
          const sessions = new SteadyLoad(rate, withSession);
          const outages: { readonly began: number; readonly ended: number }[] = [];
          const outage = async (fault: "refused" | "silent", milliseconds: number) => {
            await proxy.become(fault);
            const began = performance.now();
            await sleep(milliseconds);
            outages.push({ began, ended: performance.now() });
            await proxy.become("none");
          };
          for (const fault of ["refused", "silent"] as const) {
            say(`Redis is ${fault}`);
            await outage(fault, short ? 1500 : 5000);
            await sessions.isSteady();
          }
          // a server that is back and accepts connections, but does not respond yet
          await outage("refused", 300);
          await outage("silent", 1000);
          await sessions.isSteady();
          const steady = sessions.samples.length;
          for (let flap = 0; flap < flaps; flap++) {
            say(`flap ${flap + 1} of ${flaps}`);
            await outage(flap % 2 === 0 ? "refused" : "silent", 150);
            await sleep(150);
          }
          await sessions.isSteady();
          const samples = await sessions.stop();
          const recoveries = [outages[0], outages[1], outages[3]].map((one) =>
            recoveryAfter(one?.ended ?? 0, samples.slice(0, steady)),
          );
          recoveries.push(recoveryAfter(outages.at(-1)?.ended ?? 0, samples));
          // sent and completed while Redis was down, when no session can be valid
          const away = samples.filter(({ asked, time }) =>
            outages.some(({ began, ended }) => asked > began && asked + time < ended),
          );
          const bearerAnswers = await bearer.stop();

          say(`${atOnce} calls at once`);
          await proxy.become("silent");
          const crowd = await Promise.all(Array.from({ length: atOnce }, withSession));
          await proxy.become("none");
          caller.close();
          return figures
            .show("bearer requests", bearerAnswers.length)
            .exactly("bearer not 200", bearerAnswers.filter(({ status }) => status !== 200).length, 0)
            .show("session requests", samples.length)
            .atLeast("of them while Redis was down", away.length, 20)
            .exactly("accepted meanwhile", away.filter(({ status }) => status < 500).length, 0)
            .exactly(
              "neither 200, 500 nor 503",
              samples.filter(({ status }) => ![200, 500, 503].includes(status)).length,
              0,
            )
            .inTime("slowest session response s", Math.max(...samples.map(({ time }) => time)) / 1000, 1)
            .show("flaps", flaps)
            .inTime("slowest reconnect s", Math.max(...recoveries) / 1000, 2)
            .exactly(`of ${atOnce} at once: 503`, crowd.filter(({ status }) => status === 503).length, atOnce)
            .exactly("service alive", server.alive ? 1 : 0, 1)
            .done();
        }),
      );
    } finally {
      await proxy.stop();
      await redis.remove();
    }
  },
};

/** Milliseconds until a session was valid again. */
function recoveryAfter(ended: number, samples: readonly Sample[]): number {
  const next = samples.find(({ asked, status }) => asked > ended && status === 200);
  return next === undefined ? Number.POSITIVE_INFINITY : next.asked + next.time - ended;
}
