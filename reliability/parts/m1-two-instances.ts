import { setTimeout as sleep } from "node:timers/promises";
import { register } from "../../apps/reference/scripts/support/reference-app.ts";
import { sharedStorages } from "../../apps/reference/test/support/storages.ts";
import { Figures, type Part } from "../part.ts";
import { Caller } from "../support/caller.ts";
import { startService } from "../support/service.ts";
import { SteadyLoad } from "../support/steady-load.ts";
import { judgeTests } from "../support/test-files.ts";

const rate = 50;

export const part: Part = {
  id: "M1",
  title: "two instances on one PostgreSQL and one Redis",
  bar: "401 on A at the first request after a logout on B; refresh and login limits shared; kill -9 of A: only requests on A's sockets fail",
  needs: ["postgres", "redis"],
  async run(options) {
    const figures = await (options.short
      ? new Figures()
      : judgeTests(["apps/reference/test/races"], options, () => {}, "\\(M1|M1\\)"));
    options.say("kill -9 of A under load");
    await killOne(figures, options.short ? 1500 : 5000);
    return figures.done();
  },
};

async function killOne(figures: Figures, milliseconds: number): Promise<void> {
  const storage = sharedStorages.find(({ name }) => name === "PostgreSQL and Redis");
  if (storage === undefined) throw new Error("PostgreSQL and Redis were there a moment ago");
  await storage.with(async ({ databaseUrl, redisUrl = "" }) => {
    const env = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl };
    const [a, b] = await Promise.all([startService({ env }), startService({ env })]);
    const callers = [new Caller(a.url), new Caller(b.url)] as const;
    try {
      const token = await register(a.url, { email: "ada@example.com", password: "correct horse", name: "Ada" });
      const loads = callers.map((caller) => {
        let turn = 0;
        return new SteadyLoad(rate, () =>
          turn++ % 2 === 0
            ? caller.call("GET", "/auth/me", { token })
            : caller.call("POST", "/posts", { json: { title: "t", content: "c" }, token }),
        );
      });
      await sleep(milliseconds / 2);
      const killed = performance.now();
      await a.kill();
      await sleep(milliseconds / 2);
      const [ofA = [], ofB = []] = await Promise.all(loads.map((load) => load.stop()));
      const isFine = (status: number) => status === 200 || status === 201;
      const early = ofA.filter(({ asked, time, status }) => asked + time < killed && !isFine(status));
      figures
        .show("requests on A", ofA.length)
        .show("failed on A after the kill", ofA.filter(({ status }) => !isFine(status)).length - early.length)
        .exactly("failed on A before it", early.length, 0)
        .show("requests on B", ofB.length)
        .exactly("failed on B", ofB.filter(({ status }) => !isFine(status)).length, 0)
        .holds(
          "A was killed under load",
          ofA.some(({ status }) => status === 0),
        );
    } finally {
      for (const caller of callers) caller.close();
      await Promise.all([a, b].filter(({ alive }) => alive).map((server) => server.kill()));
    }
  });
}
