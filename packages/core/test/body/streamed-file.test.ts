import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import {
  type ApiOptions,
  api,
  type Context,
  dto,
  type Field,
  file,
  integer,
  type Next,
  route,
  string,
} from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { StreamedFile } from "../../src/body/streamed-file.ts";
import { acceptedSocket } from "../support/accepted-socket.ts";
import { moduleOf } from "../support/transports.ts";
import { until } from "../support/until.ts";
import { RawClient } from "../support/wire.ts";

const megabyte = 1024 * 1024;
const folder = await mkdtemp(join(tmpdir(), "tenon-streamed-file-"));
after(() => rm(folder, { recursive: true }));

const NewVideo = dto("NewVideo", {
  title: string("required"),
  length: integer("min=1"),
  video: file("required", "stream", "max=2000000", "type=video/*"),
});
const Saved = dto({ title: string(), size: integer(), sha256: string() });

/** Whether a handler runs on after its response: the rest of its test waits for it. */
let settled = Promise.withResolvers<unknown>();

class VideosController {
  readonly save = route.post("/videos", { body: { form: NewVideo }, returns: Saved }, async (_, { body }) => {
    try {
      await body.video.saveTo(join(folder, "video"));
    } catch (error) {
      settled.resolve(error);
      throw error;
    }
    return { title: body.title, size: body.video.size };
  });

  readonly digest = route.post(
    "/digests",
    { body: { form: dto({ data: file("stream", `max=${64 * megabyte}`) }) }, returns: Saved },
    async (ctx, { body }) => {
      const hash = createHash("sha256");
      ctx.log.info("reading");
      await gate.promise;
      for await (const chunk of body.data?.stream ?? []) hash.update(chunk);
      return { size: body.data?.size ?? 0, sha256: hash.digest("hex") };
    },
  );

  readonly wrap = route.post("/wrapped", { body: { form: NewVideo } }, async (_, { body }) => {
    await Array.fromAsync(body.video.stream).catch((cause) => {
      throw new Error("fetch failed", { cause });
    });
  });

  readonly ignore = route.post("/ignored", { body: { form: NewVideo } }, (_, { body }) => {
    settled.resolve(body.video);
    return "ignored";
  });

  readonly broken = route.post("/broken", { body: { form: NewVideo } }, () => {
    throw new TypeError("not the upload");
  });

  readonly afterwards = route.post("/afterwards", { body: { form: NewVideo } }, async (ctx) =>
    ctx
      .request()
      .form()
      .catch((error: Error) => String(error.cause)),
  );

  routes() {
    return [this.save, this.digest, this.wrap, this.ignore, this.broken, this.afterwards];
  }
}

let gate = Promise.withResolvers<void>();
gate.resolve();

const part = (name: string, content: string, more = "") =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;
const videoHead =
  '--b\r\nContent-Disposition: form-data; name="video"; filename="a.mp4"\r\nContent-Type: video/mp4\r\n\r\n';
const head = (path: string, length: number | "chunked") =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\n${
    length === "chunked" ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`
  }\r\n\r\n`;

function videoOf(bytes: number, type = "video/mp4"): FormData {
  const form = new FormData();
  form.set("title", "Sunset");
  form.set("video", new File([new Uint8Array(bytes).fill(7)], "../sunset.mp4", { type }));
  return form;
}

type Send = (path: string, body: FormData | string) => Promise<Response>;
const transports = { fetch: undefined, wire: "wire", "node:http": "node" } as const;

function testUploads(name: string, run: (send: Send, port: number) => Promise<void>, options: ApiOptions = {}): void {
  for (const [transport, engine] of Object.entries(transports)) {
    test(`${name} (${transport})`, async () => {
      const module = moduleOf(new VideosController().routes());
      const app = await createTestApp(module, api({ ...options, ...(engine && { engine }) }), {
        log: { level: "silent" },
      });
      settled = Promise.withResolvers();
      try {
        const { url, port } = await app.listen({ port: 0, signals: false });
        const headers = { "content-type": "multipart/form-data; boundary=b" };
        await run((path, body) => {
          const init = { body, ...(typeof body === "string" ? { headers } : {}) };
          if (engine === undefined) return app.request("POST", path, body === "" ? { headers } : init);
          return fetch(`${url}${path}`, { method: "POST", ...init });
        }, port);
      } finally {
        await app.stop();
      }
    });
  }
}

testUploads("a streamed file is saved under its path, after the fields before it", async (send) => {
  const response = await send("/videos", videoOf(1_900_000)); // more than limits.body
  assert.deepEqual([response.status, await response.json()], [200, { title: "Sunset", size: 1_900_000 }]);
  assert.deepEqual(await readFile(join(folder, "video")), Buffer.alloc(1_900_000, 7));
  assert.deepEqual(await readdir(folder), ["video"]);
  await rm(join(folder, "video"));
});

testUploads("a file that is too large is 413 while it arrives, and leaves nothing behind", async (send) => {
  assert.equal((await send("/videos", videoOf(2_000_001))).status, 413);
  assert.equal((await send("/wrapped", videoOf(2_000_001))).status, 413, "not the error of what reads it");
  assert.equal((await send("/videos", videoOf(4_000_000))).status, 413, "by its length");
  assert.deepEqual(await readdir(folder), []);
  assert.equal((await send("/broken", videoOf(10))).status, 500);
});

testUploads("fields and the head of the file are validated before the file is read", async (send) => {
  const untitled = `${part("length", "0")}${videoHead}x\r\n--b--`;
  for (const body of [untitled, videoOf(3, "text/html"), `${part("title", "t")}--b--`, ""]) {
    assert.equal((await send("/videos", body)).status, 400);
  }
  assert.equal((await send("/digests", "--b--\r\n")).status, 200, "the file may be absent");
});

testUploads("the form cannot be read in another way while its file is streamed", async (send) => {
  assert.equal(await (await send("/afterwards", videoOf(10))).json(), "Error: The body is streamed.");
});

testUploads(
  "a form that a middleware has read is streamed from memory",
  async (send) => {
    assert.equal((await send("/videos", videoOf(1000))).status, 200);
    await rm(join(folder, "video"));
  },
  {
    middlewares: [
      async (ctx: Context, next: Next) => {
        await ctx.request().form();
        return next();
      },
    ],
  },
);

testUploads("a client that leaves fails the stream, and nothing is left of its file", async (_, port) => {
  const client = new RawClient(port);
  client.send(head("/videos", 1_000_000) + part("title", "t") + videoHead + "x".repeat(200_000));
  await until(async () => (await readdir(folder)).some((name) => name.endsWith(".part")), "file");
  client.socket.destroy();
  const error = await settled.promise;
  assert.ok(error instanceof Error && "status" in error);
  assert.equal(error.status, 400);
  await until(async () => (await readdir(folder)).length === 0, "removed file");
});

testUploads(
  "a client that stops sending gets 408",
  async (_, port) => {
    const client = new RawClient(port);
    client.send(`${head("/videos", "chunked")}40000\r\n${part("title", "t")}${videoHead}`);
    const [{ status } = assert.fail()] = await client.responses(1);
    assert.equal(status, 408);
    client.socket.destroy();
    await until(async () => (await readdir(folder)).length === 0, "removed file");
  },
  { limits: { bodyTimeout: 100 } },
);

testUploads("a body that is malformed from its start is 400", async (_, port) => {
  const client = new RawClient(port);
  client.send(`${head("/videos", "chunked")}zz\r\n`);
  await client.until(({ text }) => text.startsWith("HTTP/1.1 400 "), "400");
  client.socket.destroy();
});

testUploads("a response before the end of the upload ends the stream", async (_, port) => {
  const client = new RawClient(port);
  client.send(head("/ignored", 1_000_000) + part("title", "t") + videoHead + "x".repeat(50_000));
  assert.equal((await client.responses(1))[0]?.status, 200);
  const video = await settled.promise;
  assert.ok(video instanceof StreamedFile);
  client.socket.destroy();
  await assert.rejects(Array.fromAsync(video.stream));
});

test("32 MiB pass through a slow handler: the client waits while the handler does", async () => {
  const app = await createTestApp(moduleOf(new VideosController().routes()), api());
  gate = Promise.withResolvers();
  try {
    const { port } = await app.listen({ port: 0, signals: false });
    const start = '--b\r\nContent-Disposition: form-data; name="data"; filename="a"\r\n\r\n';
    const end = "\r\n--b--\r\n";
    const size = 32 * megabyte;
    const accepted = acceptedSocket();
    const client = new RawClient(port);
    client.send(head("/digests", start.length + size + end.length) + start);
    const chunk = Buffer.alloc(megabyte, "tenon");
    const hash = createHash("sha256");
    for (let sent = 0; sent < 32; sent++) {
      hash.update(chunk);
      client.send(chunk);
    }
    client.send(end);
    const socket = await accepted;
    await until(() => socket.isPaused() || socket.bytesRead >= size / 2, "pause");
    for (let turns = 0; turns < 100; turns++) await turn();
    assert.ok(socket.bytesRead < size / 2, `${socket.bytesRead} bytes were read`);
    gate.resolve();
    const [{ body } = assert.fail()] = await client.responses(1);
    assert.deepEqual(JSON.parse(body), { size, sha256: hash.digest("hex") });
    client.socket.destroy();
  } finally {
    await app.stop();
  }
});

test("a document shows a streamed file like any other", () => {
  const [streamed, whole] = [file("stream", "max=9"), file("max=9")] as readonly Field[];
  assert.deepEqual(streamed?.toSchema("input"), whole?.toSchema("input"));
});
