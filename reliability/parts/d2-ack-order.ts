import { readFileSync } from "node:fs";
import { join } from "node:path";
import { register } from "../../apps/reference/scripts/support/reference-app.ts";
import { withFolder } from "../../packages/data/test/support/services.ts";
import { Figures, type Part } from "../part.ts";
import { readAckOrder } from "../support/ack-order.ts";
import { Caller, jsonOf } from "../support/caller.ts";
import { startService } from "../support/service.ts";

/** Long enough that checkpoints copy and sync the log during the writes. */
const content = "c".repeat(200_000);
const calls = "fsync,fdatasync,pwrite64,write,writev,sendto,sendmsg";

export const part: Part = {
  id: "D2",
  title: "the system calls of the service: is a response sent before its write is on the disk?",
  bar: "acknowledged before fsync: 0",
  needs: ["strace"],
  async run({ short, say }) {
    const rounds = short ? 20 : 200;
    return withFolder(async (folder) => {
      const trace = join(folder, "trace");
      const server = await startService({
        env: { DATABASE_URL: `sqlite:${join(folder, "blog.db")}` },
        under: ["strace", "-f", "-y", "-s", "32", "-o", trace, "-e", `trace=${calls}`],
      });
      const traced = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, "utf8");
      let writes = 1;
      try {
        const token = await register(server.url, { email: "ada@example.com", password: "correct horse", name: "Ada" });
        const caller = new Caller(server.url);
        const client = async () => {
          for (let round = 0; round < rounds / 4; round++) {
            const created = await caller.call("POST", "/posts", { json: { title: "t", content }, token });
            const path = `/posts/${jsonOf<{ id: string }>(created).id}`;
            await caller.call("PUT", path, { json: { title: "u" }, token });
            await caller.call("DELETE", path, { token });
            writes += 3;
            say(`${writes} writes`);
          }
        };
        await Promise.all(Array.from({ length: 4 }, client));
        caller.close();
      } finally {
        process.kill(Number(traced), "SIGKILL"); // strace itself ends with it
        await server.ended;
      }
      const { replies, syncs, early } = readAckOrder(readFileSync(trace, "utf8"));
      return new Figures()
        .show("writes", writes)
        .exactly("their replies seen", replies, writes)
        .atLeast("syncs of the log", syncs, writes)
        .exactly("acknowledged before fsync", early, 0)
        .done();
    });
  },
};
