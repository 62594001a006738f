import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runFile, type SpawnOptions } from "../../apps/reference/test/support/processes.ts";
import { freePort } from "../../packages/data/test/support/ports.ts";
import { withFolder } from "../../packages/data/test/support/services.ts";
import { Figures, type Part } from "../part.ts";
import { accepts } from "../support/service.ts";

interface Mistake {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly file?: string;
  readonly options?: SpawnOptions;
  /** What the error message has to name. */
  readonly names: RegExp;
  /** The output of the hooks that may run. */
  readonly hooks?: string;
}

const failingStart = fileURLToPath(new URL("../../packages/core/test/fixtures/failing-start.ts", import.meta.url));
const isRoot = process.getuid?.() === 0;
/** Not as another user, who has no access to this folder. */
const withoutTheRight = ["setpriv", "--bounding-set=-net_bind_service", "--inh-caps=-net_bind_service"];

export const part: Part = {
  id: "L2",
  title: "starts that must fail: port in use, no permission for it, bad environment, a hook that throws",
  bar: "exit 1 ≤ 2 s, the message names the cause, no listener, no hook of a later service runs",
  needs: [],
  async run() {
    const figures = new Figures();
    const taken = createServer();
    const takenPort = await freePort();
    await new Promise<void>((resolve) => taken.listen(takenPort, "127.0.0.1", resolve));
    try {
      const free = await freePort();
      const inMemory = { DATABASE_URL: "sqlite::memory:", LOG_LEVEL: "warn" };
      const mistakes: readonly Mistake[] = [
        {
          name: "port in use",
          env: { ...inMemory, PORT: String(takenPort) },
          names: new RegExp(`Port ${takenPort} on 127\\.0\\.0\\.1 is in use`),
        },
        {
          name: "no right to the port",
          env: { ...inMemory, PORT: "81" },
          options: isRoot ? { under: withoutTheRight } : {},
          names: /Port 81 needs rights that this process does not have/,
        },
        { name: "bad port", env: { ...inMemory, PORT: "http" }, names: /PORT is "http"/ },
        { name: "bad cost", env: { ...inMemory, PORT: String(free), BCRYPT_COST: "9" }, names: /BCRYPT_COST is "9"/ },
        {
          name: "bad level",
          env: { ...inMemory, PORT: String(free), LOG_LEVEL: "loud" },
          names: /LOG_LEVEL is "loud"/,
        },
        {
          name: "no secret",
          env: { ...inMemory, PORT: String(free), NODE_ENV: "production" },
          names: /JWT_SECRET is empty/,
        },
        {
          name: "a hook that throws",
          env: {},
          file: failingStart,
          options: { args: ["hook-listen"] },
          names: /onStart\(\) of Migrations .* failed: table posts is\[2J locked/,
          hooks: "database started\ndatabase stopped\n", // started services are stopped, later ones never start
        },
      ];
      let slowest = 0;
      await withFolder(async (folder) => {
        for (const mistake of mistakes) slowest = Math.max(slowest, await make(mistake, figures, folder));
      });
      figures.show("mistakes", mistakes.length).inTime("slowest s", slowest, 2);
      return figures.exactly("listeners left", (await accepts(free)) ? 1 : 0, 0).done();
    } finally {
      taken.close();
    }
  },
};

async function make(mistake: Mistake, figures: Figures, folder: string): Promise<number> {
  const { name, env, file = "src/main.api.ts", options = {}, names, hooks = "" } = mistake;
  const started = performance.now();
  const cache = { NODE_COMPILE_CACHE: join(folder, "cache") }; // one that the other user may use too
  const { code, stdout, stderr } = await runFile(
    file,
    { ...(options.under === undefined ? {} : cache), ...env },
    options,
  );
  const seconds = (performance.now() - started) / 1000;
  const lines = stderr.trim().split("\n");
  figures
    .holds(`${name}: exit code 1 (${code})`, code === 1)
    .holds(`${name}: one line that names it (${stderr.trim()})`, lines.length === 1 && names.test(stderr))
    .holds(`${name}: no other hook ran (${stdout.trim()})`, !stdout.includes("listening") && stdout.endsWith(hooks));
  return seconds;
}
