import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Random } from "../../packages/core/test/support/random.ts";
import { freePort } from "../../packages/data/test/support/ports.ts";
import { withFolder } from "../../packages/data/test/support/services.ts";
import { Figures, type Part } from "../part.ts";
import { addUp, crashLoop } from "../support/crash-loop.ts";
import { startService } from "../support/service.ts";

const loops = 2;

export const part: Part = {
  id: "D1",
  title: "kill -9 of the service under load, on SQLite, with a ledger of acknowledged writes",
  bar: "200 kills: acknowledged and lost 0, acknowledged and undone 0, integrity_check ok 200/200, first 200 ≤ 3 s after a restart",
  needs: [],
  alone: true, // it measures the seconds until a restarted service responds
  async run(options) {
    const random = new Random(options.seed);
    const kills = options.short ? 10 : 200;
    let done = 0;
    const onKill = () => options.say(`kill ${++done} of ${kills}`);
    const reports = await Promise.all(
      Array.from({ length: loops }, () => loop(kills / loops, new Random(random.below(2 ** 31)), onKill)),
    );
    const { acknowledged, lost, undone, whole, slowestRecovery } = addUp(reports);
    const figures = new Figures()
      .show("seed", String(random.seed))
      .show("kills", kills)
      .show("acknowledged", acknowledged)
      .exactly("lost", lost.length, 0)
      .exactly("undone", undone.length, 0)
      .exactly("integrity ok", whole, kills)
      .inTime("slowest restart s", slowestRecovery / 1000, 3)
      .holds("the load was acknowledged", acknowledged > kills);
    if (lost.length + undone.length > 0) figures.note([...lost, ...undone].slice(0, 5).join(", "));
    return figures.done();
  },
};

function loop(kills: number, random: Random, onKill: () => void) {
  return withFolder(async (folder) => {
    const file = join(folder, "blog.db");
    const port = String(await freePort());
    const start = () => startService({ probed: false, env: { DATABASE_URL: `sqlite:${file}`, PORT: port } });
    let server = await start();
    try {
      return await crashLoop(
        {
          kill: () => server.kill(),
          isWhole: () => isWhole(file),
          revive: async () => {
            const since = performance.now();
            server = await start();
            return since;
          },
        },
        { service: () => server, kills, random, onKill },
      );
    } finally {
      await server.kill();
    }
  });
}

function isWhole(file: string): boolean {
  const database = new DatabaseSync(file);
  try {
    return database.prepare("pragma integrity_check").get()?.integrity_check === "ok";
  } finally {
    database.close();
  }
}
