import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { register } from "../../apps/reference/scripts/support/reference-app.ts";
import { areaUnderCurve, median } from "../../apps/reference/scripts/support/statistics.ts";
import { withFolder } from "../../packages/data/test/support/services.ts";
import { Figures, type Part } from "../part.ts";
import { Caller, jsonOf } from "../support/caller.ts";
import { withService } from "../support/service.ts";

const known = { email: "known@example.com", password: "the right password", name: "Known" };
const maxArea = 0.05;
// chance alone moves the AUC of 200 + 200 by 0.03: an apparent leak is measured longer, with all samples kept
const maxBlocks = 6;
const warmUp = 10;
/** How many reset mails an address gets in an hour. */
const mailsPerAddress = 5;
/** Milliseconds until all mails are made. */
const patience = 30_000;
const accountsService = fileURLToPath(new URL("../fixtures/accounts-service.ts", import.meta.url));

interface Comparison {
  readonly name: string;
  readonly rounds: number;
  readonly maxGap: number;
  /** Each returns the time of one request. */
  readonly first: (round: number) => Promise<number>;
  readonly second: (round: number) => Promise<number>;
}

export const part: Part = {
  id: "T1",
  title: "does the response time reveal whether an e-mail is known or verified, or how much of an API key is right?",
  bar: "200 + 200 logins at cost 10, again with 73 bytes, 500 + 500 password resets of unknown and verified, unverified and verified addresses, 2,000 + 2,000 API keys: medians ≤ 5 % apart (keys ≤ 2 %), AUC 0.45–0.55",
  needs: [],
  alone: true,
  fullOnly: true,
  async run({ short, say }) {
    const figures = new Figures();
    const compare = async ({ name, rounds, maxGap, first, second }: Comparison) => {
      const times: [number[], number[]] = [[], []];
      let gap = 1;
      let area = 0;
      for (let block = 0; block < maxBlocks && (gap > maxGap || Math.abs(area - 0.5) > maxArea); block++) {
        for (let round = -warmUp; round < rounds; round++) {
          // alternating and in changing order, so that a slow machine slows both
          const order = round % 2 === 0 ? [0, 1] : [1, 0];
          for (const which of order) {
            const time = await (which === 0 ? first : second)(round);
            if (round >= 0) times[which === 0 ? 0 : 1].push(time);
          }
          if (round % 50 === 0) say(`${name}: ${times[0].length} + ${times[1].length}`);
        }
        gap = Math.abs(median(times[0]) - median(times[1])) / median(times[1]);
        area = areaUnderCurve(times[0], times[1]);
      }
      figures
        .show(`${name}, each`, times[0].length)
        .inTime(`${name}, gap %`, 100 * gap, 100 * maxGap)
        .inTime(`${name}, AUC off 0.5`, Math.abs(area - 0.5), maxArea);
    };
    await withFolder((folder) =>
      withService({ env: { DATABASE_URL: `sqlite:${join(folder, "blog.db")}` } }, async (server) => {
        const token = await register(server.url, known);
        const caller = new Caller(server.url, 1);
        const refused = async (method: string, path: string, options: object) => {
          const { status, time } = await caller.call(method, path, options);
          if (status !== 401) throw new Error(`${path} responded with ${status}`);
          return time;
        };
        const login = (email: string, password: string) =>
          refused("POST", "/auth/login", { json: { email, password } });
        const byKey = (key: string) => refused("GET", "/auth/key", { headers: { "x-api-key": key } });
        for (const [name, password] of [
          ["8 bytes", "password"],
          ["73 bytes", "p".repeat(73)],
        ] as const) {
          await compare({
            name,
            rounds: short ? 40 : 200,
            maxGap: 0.05,
            first: (round) => login(`unknown${round}@example.com`, password),
            second: () => login(known.email, password),
          });
        }
        const { key } = jsonOf<{ key: string }>(await caller.call("POST", "/auth/api-keys", { token }));
        const almost = `${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`;
        const other = `tnn_${[...key.slice(4)].reverse().join("")}`;
        await compare({
          name: "keys",
          rounds: short ? 500 : 2000,
          maxGap: 0.02,
          first: () => byKey(other),
          second: () => byKey(almost),
        });
        caller.close();
      }),
    );
    const rounds = short ? 100 : 500;
    const accounts = Math.ceil((2 * (rounds + warmUp) * maxBlocks) / mailsPerAddress); // verified ones are in both
    await withFolder((folder) =>
      withService(
        {
          env: { DATABASE_URL: `sqlite:${join(folder, "accounts.db")}`, ACCOUNTS: String(accounts) },
          file: accountsService,
        },
        async (server) => {
          const caller = new Caller(server.url, 1);
          let client = 0;
          const resets = (kind: string) => {
            let sent = 0;
            return async () => {
              // another client each time, and an address never more often than it gets mails: the limits would hide the work
              const from = `10.${client >> 16}.${(client >> 8) & 255}.${client++ & 255}`;
              const { status, time } = await caller.call("POST", "/account/password-reset", {
                headers: { "x-forwarded-for": from },
                json: { email: `${kind}${sent++ % accounts}@example.com` },
              });
              if (status !== 202) throw new Error(`the reset of a password responded with ${status}`);
              return time;
            };
          };
          const verified = resets("verified");
          for (const kind of ["unknown", "unverified"]) {
            await compare({ name: `reset, ${kind}`, rounds, maxGap: 0.05, first: resets(kind), second: verified });
          }
          // a service that sends nothing would leak nothing
          const expected = 3 * (rounds + warmUp);
          const deadline = performance.now() + patience;
          let links = 0;
          while (links < expected && performance.now() < deadline) {
            await sleep(50);
            links = jsonOf<{ accounts: number }>(await caller.call("GET", "/links")).accounts;
          }
          figures.atLeast("accounts with a reset link", links, expected);
          caller.close();
        },
      ),
    );
    return figures.done();
  },
};
