import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { register } from "../../apps/reference/scripts/support/reference-app.ts";
import type { ServerProcess } from "../../apps/reference/test/support/processes.ts";
import { withFolder } from "../../packages/data/test/support/services.ts";
import { Figures, type Part } from "../part.ts";
import { Caller, jsonOf } from "../support/caller.ts";
import { startService } from "../support/service.ts";
import { createSmallDisk, type SmallDisk } from "../support/small-disk.ts";

const size = 4 * 1024 * 1024;

export const part: Part = {
  id: "D4",
  title: "a full disk under the SQLite file",
  bar: "writes 500 with the store's message within 1 s, reads 200, works again when there is room, without a restart; integrity ok",
  needs: [],
  async run() {
    return withFolder(async (folder) => {
      const place = join(folder, "disk");
      mkdirSync(place);
      const disk = createSmallDisk(place, "blog.db", size);
      const server = await startService({
        env: { DATABASE_URL: `sqlite:${join(place, "blog.db")}` },
        under: disk.under,
      });
      try {
        return await fillAndFree(server, disk);
      } finally {
        await server.kill();
      }
    });
  },
};

async function fillAndFree(server: ServerProcess, disk: SmallDisk) {
  const token = await register(server.url, { email: "ada@example.com", password: "correct horse", name: "Ada" });
  const caller = new Caller(server.url);
  const write = (content: string) => caller.call("POST", "/posts", { json: { title: "t", content }, token });
  const { id } = jsonOf<{ id: string }>(await write("small"));
  const large = "x".repeat(100_000);
  disk.fill(server);
  let refused = await write(large);
  for (let attempt = 0; refused.status === 201 && attempt < 200; attempt++) refused = await write(large);
  let reads = 0;
  for (let read = 0; read < 20; read++) if ((await caller.call("GET", `/posts/${id}`)).status === 200) reads++;
  const again = await write(large);
  disk.free(server);
  const after = await write(large);
  const mine = await caller.call("GET", "/my-posts", { token });
  const alive = server.alive;
  const checked = integrityOf(disk.folder(server));
  caller.close();
  return new Figures()
    .show("disk", disk.how)
    .exactly("write", `${refused.status} ${refused.text}`, '500 {"error":"store unavailable"}')
    .inTime("response ms", Math.max(refused.time, again.time), 1000)
    .exactly("reads 200 of 20", reads, 20)
    .exactly("again", again.status, 500)
    .exactly("with room", after.status, 201)
    .exactly("list after", mine.status, 200)
    .exactly("restarts", alive ? 0 : 1, 0)
    .exactly("integrity", checked, "ok")
    .done();
}

function integrityOf(folder: string): string {
  const database = new DatabaseSync(join(folder, "blog.db"));
  try {
    return String(database.prepare("pragma integrity_check").get()?.integrity_check);
  } finally {
    database.close();
  }
}
