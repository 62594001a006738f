import { join } from "node:path";
import { register } from "../../apps/reference/scripts/support/reference-app.ts";
import { percentile } from "../../apps/reference/scripts/support/statistics.ts";
import { withFolder } from "../../packages/data/test/support/services.ts";
import { Figures, type Part } from "../part.ts";
import { Caller, jsonOf } from "../support/caller.ts";
import { Line, type LineReply, toRequest } from "../support/line.ts";
import type { Delay } from "../support/probe.ts";
import { withService } from "../support/service.ts";

const loginClients = 50;
const readers = 10;
const posts = 50;

export const part: Part = {
  id: "T2",
  title: "50 clients log in at cost 14 without a pause while 10 others read",
  bar: "30 s: GET p99 ≤ 100 ms, event-loop delay p99 ≤ 50 ms; excess logins 503 + Retry-After in ≤ 100 ms; none > 10 s; 0 resets",
  needs: [],
  alone: true,
  async run({ short, say }) {
    const seconds = short ? 8 : 30;
    return withFolder((folder) =>
      withService({ env: { DATABASE_URL: `sqlite:${join(folder, "blog.db")}`, BCRYPT_COST: "14" } }, async (server) => {
        const user = { email: "known@example.com", password: "the right password", name: "Known" };
        const token = await register(server.url, user);
        const caller = new Caller(server.url);
        for (let count = 0; count < posts; count++) {
          const json = { title: `Post ${count}`, content: "text" };
          const { id } = jsonOf<{ id: string }>(await caller.call("POST", "/posts", { json, token }));
          await caller.call("PATCH", `/posts/${id}`, { json: { published: true }, token });
        }
        for (let count = 0; count < 500; count++) await caller.call("GET", "/posts");
        caller.close();

        await server.ask("begin delay");
        const end = performance.now() + 1000 * seconds;
        let broken = 0;
        const logins: LineReply[] = [];
        const reads: LineReply[] = [];
        const repeat = async (into: LineReply[], request: string) => {
          while (performance.now() < end) {
            let line: Line | undefined;
            try {
              line = await Line.open(server.url);
              while (performance.now() < end) into.push(await line.ask(request));
            } catch {
              broken++;
            } finally {
              line?.close();
            }
          }
        };
        const progress = setInterval(() => say(`${reads.length} reads, ${logins.length} logins`), 1000);
        await Promise.all([
          ...Array.from({ length: loginClients }, (_, index) => {
            const password = index % 2 === 0 ? user.password : "the wrong password";
            return repeat(logins, toRequest("POST", "/auth/login", { email: user.email, password }));
          }),
          ...Array.from({ length: readers }, () => repeat(reads, toRequest("GET", "/posts"))),
        ]);
        clearInterval(progress);
        const delay = await server.ask<Delay>("end delay");

        const refused = logins.filter(({ status }) => status === 503);
        const checked = logins.filter(({ status }) => status === 200 || status === 401).map(({ time }) => time);
        const unknown = logins.length - refused.length - checked.length;
        const untold = refused.filter(({ head }) => !/\r\nretry-after: [1-9]\d*\r\n/i.test(`${head}\r\n`));
        const p99 = (replies: readonly LineReply[]) =>
          percentile(
            replies.map(({ time }) => time),
            0.99,
          );
        return new Figures()
          .show("seconds", seconds)
          .show("reads", reads.length)
          .exactly("reads not 200", reads.filter(({ status }) => status !== 200).length, 0)
          .inTime("GET p99 ms", p99(reads), 100)
          .inTime("event-loop delay p99 ms", delay.p99, 50)
          .show("logins checked", checked.length)
          .inTime("slowest login s", Math.max(...checked) / 1000, 10)
          .atLeast("refused with 503", refused.length, 1)
          .exactly("without Retry-After", untold.length, 0)
          .exactly("other statuses", unknown, 0)
          .inTime("503 p99 ms", p99(refused), 100)
          .exactly("resets", broken, 0)
          .done();
      }),
    );
  },
};
