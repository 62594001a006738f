import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { register } from "../../apps/reference/scripts/support/reference-app.ts";
import { percentile } from "../../apps/reference/scripts/support/statistics.ts";
import { withFolder } from "../../packages/data/test/support/services.ts";
import { Figures, type Part } from "../part.ts";
import { Caller, jsonOf } from "../support/caller.ts";
import { PeakMemory } from "../support/peak-memory.ts";
import { withService } from "../support/service.ts";
import { SteadyLoad } from "../support/steady-load.ts";

const clients = 400;
const attackedPosts = 10;
/** Characters of a post: with its other fields, it just fits into a body of 1 MiB. */
const postLength = 1_000_000;
const megabyte = 2 ** 20;

export const part: Part = {
  id: "S2",
  title: "400 clients that request a list of ten 1 MB posts and never read it; a list of 1 GB for one that does",
  bar: "400 clients ≤ 200 MB; other requests ≤ 100 ms; the 1 GB list arrives complete",
  needs: [],
  alone: true,
  async run({ short, say }) {
    const listed = short ? 100 : 1000;
    return withFolder((folder) =>
      withService({ env: { DATABASE_URL: `sqlite:${join(folder, "blog.db")}` } }, async (server) => {
        const token = await register(server.url, { email: "ada@example.com", password: "correct horse", name: "Ada" });
        const caller = new Caller(server.url);
        const publish = async (count: number) => {
          for (let index = 0; index < count; index++) {
            const json = { title: `Post ${index}`, content: `${index} `.padEnd(postLength, "ab ") };
            const { id } = jsonOf<{ id: string }>(await caller.call("POST", "/posts", { json, token }));
            await caller.call("PUT", `/posts/${id}`, { json: { ...json, published: true }, token });
            if (index % 20 === 0) say(`${index} of ${count} posts of 1 MB`);
          }
        };
        await publish(attackedPosts);
        // the garbage of lists that are read is not what clients that do not read cost
        for (let round = 0; round < 5; round++) {
          await Promise.all(Array.from({ length: 8 }, () => readList(`${server.url}/posts`)));
        }

        say(`${clients} clients that read nothing`);
        const peak = new PeakMemory(server.pid);
        const load = new SteadyLoad(20, () => caller.call("GET", "/auth/me", { token, timeout: 10_000 }));
        const sockets = await askAndNeverRead(Number(new URL(server.url).port));
        await sleep(short ? 3000 : 10_000);
        const samples = await load.stop();
        const cost = peak.bytes;
        for (const socket of sockets) socket.destroy();

        await publish(listed - attackedPosts);
        const list = await readList(`${server.url}/posts`);
        caller.close();
        return new Figures()
          .show("clients", clients)
          .atMost("they cost MB", cost / megabyte, 200)
          .show("other requests", samples.length)
          .exactly("not 200", samples.filter(({ status }) => status !== 200).length, 0)
          .inTime(
            "p99 ms of other requests",
            percentile(
              samples.map(({ time }) => time),
              0.99,
            ),
            100,
          )
          .show("list MB", Math.round(list.bytes / 1e6))
          .exactly("list status", list.status, 200)
          .exactly("posts in the list", list.posts, listed)
          .exactly("list complete", list.complete ? "yes" : "no", "yes")
          .exactly("service alive", server.alive ? 1 : 0, 1)
          .done();
      }),
    );
  },
};

async function askAndNeverRead(port: number): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  for (let count = 0; count < clients; count++) {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
    socket.pause();
    socket.write("GET /posts HTTP/1.1\r\nHost: localhost\r\n\r\n");
    sockets.push(socket);
  }
  return sockets;
}

interface ReadList {
  readonly status: number;
  readonly bytes: number;
  readonly posts: number;
  /** Whether the response is complete, and ends like an array. */
  readonly complete: boolean;
}

/** Counts without keeping: the list is larger than the longest string. */
function readList(url: string): Promise<ReadList> {
  return new Promise((resolve, reject) => {
    request(url, (response) => {
      let bytes = 0;
      let posts = 0;
      let tail = "";
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        const text = tail + chunk.toString("latin1");
        posts += text.split('"author_id":').length - 1;
        tail = text.slice(-12);
        if (tail === '"author_id":') posts--; // counted again with the next chunk
      });
      response.on("error", reject).on("close", () => {
        const complete = response.complete && tail.endsWith("}]");
        resolve({ status: response.statusCode ?? 0, bytes, posts, complete });
      });
    })
      .on("error", reject)
      .end();
  });
}
