import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { register } from "../../apps/reference/scripts/support/reference-app.ts";
import { percentile } from "../../apps/reference/scripts/support/statistics.ts";
import { startProcess } from "../../packages/data/test/support/processes.ts";
import { withFolder } from "../../packages/data/test/support/services.ts";
import { Figures, type Part } from "../part.ts";
import { Caller, type TimedReply } from "../support/caller.ts";
import { withService } from "../support/service.ts";

const writers = 5;

export const part: Part = {
  id: "D5",
  title: "another process holds the write lock of the SQLite file",
  bar: "for 3 s: writes succeed; for 10 s: 500 or 503 within 5.5 s; GET p99 meanwhile ≤ 100 ms",
  needs: [],
  async run({ short, say }) {
    return withFolder(async (folder) => {
      const path = join(folder, "blog.db");
      return withService({ env: { DATABASE_URL: `sqlite:${path}` } }, async (server) => {
        const token = await register(server.url, { email: "ada@example.com", password: "correct horse", name: "Ada" });
        const caller = new Caller(server.url);
        const during = async (milliseconds: number) => {
          const holder = await startProcess("hold-lock.ts", [path, String(milliseconds)]);
          let done = false;
          const json = { title: "t", content: "c" };
          const writes = Promise.all(
            Array.from({ length: writers }, () => caller.call("POST", "/posts", { json, token })),
          ).finally(() => {
            done = true;
          });
          const reads: TimedReply[] = [];
          while (!done) {
            reads.push(await caller.call("GET", "/posts"));
            await sleep(2);
            say(`locked for ${milliseconds / 1000} s: ${reads.length} reads`);
          }
          const replies = await writes;
          holder.kill("SIGKILL"); // releases the lock
          return { replies, reads };
        };
        const shortly = await during(short ? 1000 : 3000);
        const long = await during(10_000);
        const after = await caller.call("POST", "/posts", { json: { title: "t", content: "c" }, token });
        const reads = [...shortly.reads, ...long.reads];
        caller.close();
        return new Figures()
          .exactly(
            `${short ? 1 : 3} s: writes 201`,
            shortly.replies.filter(({ status }) => status === 201).length,
            writers,
          )
          .exactly(
            "10 s: writes 500 or 503",
            long.replies.filter(({ status }) => status === 500 || status === 503).length,
            writers,
          )
          .inTime("10 s: slowest s", Math.max(...long.replies.map(({ time }) => time)) / 1000, 5.5)
          .show("reads", reads.length)
          .exactly("reads not 200", reads.filter(({ status }) => status !== 200).length, 0)
          .inTime(
            "GET p99 ms",
            percentile(
              reads.map(({ time }) => time),
              0.99,
            ),
            100,
          )
          .exactly("afterwards", after.status, 201)
          .done();
      });
    });
  },
};
