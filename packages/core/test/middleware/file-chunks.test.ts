import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { truncateSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { api, type Routes } from "@tenon/core";
import { compress, staticFiles } from "@tenon/core/middleware";
import { createTestApp } from "@tenon/core/testing";
import { createSite } from "../../../web/test/support/site.ts";
import { parseRange } from "../../src/middleware/file-chunks.ts";
import { LogLines } from "../support/log-lines.ts";
import { openFilesBelow } from "../support/open-files.ts";
import { moduleOf, testOnBothTransports } from "../support/transports.ts";
import { until } from "../support/until.ts";

const size = 32 * 1024 * 1024;
const site = createSite({
  "small.txt": "0123456789",
  "large.txt": Buffer.alloc(size, "x"),
  "shrinking.txt": Buffer.alloc(size, "x"),
});
after(site.remove);
const routes: Routes = [{ method: "GET", path: "/*", handler: staticFiles(site.root) }];

async function assertAllClosed(): Promise<void> {
  await until(() => openFilesBelow(site.root).length === 0, "closed files");
}

testOnBothTransports("no response leaves a file open", routes, async (call) => {
  const first = await call("GET", "/small.txt");
  assert.equal(await first.text(), "0123456789");
  const etag = first.headers.get("etag") ?? "";
  const answers: [string, string, Record<string, string>, number][] = [
    ["HEAD", "/large.txt", {}, 200],
    ["GET", "/small.txt", { "if-none-match": etag }, 304],
    ["GET", "/small.txt", { range: "bytes=99-" }, 416],
    ["GET", "/small.txt", { range: "bytes=1-2" }, 206],
    ["GET", "/folder", {}, 404],
    ["GET", "/pipe.txt", {}, 404],
    ["GET", "/nothing", {}, 404],
  ];
  for (const [method, path, headers, status] of answers) {
    const res = await call(method, path, { headers });
    assert.equal(res.status, status, path);
    await res.arrayBuffer();
  }
  await assertAllClosed();
});

testOnBothTransports(
  "a reader that goes away closes the file, before and after the first chunk",
  routes,
  async (call) => {
    const unread = await call("GET", "/large.txt");
    await unread.body?.cancel();
    await assertAllClosed();
    const read = await call("GET", "/large.txt");
    const reader = read.body?.getReader();
    await reader?.read();
    assert.equal(openFilesBelow(site.root).length, 1);
    await reader?.cancel();
    await assertAllClosed();
  },
);

test("replies that are dropped unread close their files, and never crash the process", () => {
  const fixture = fileURLToPath(new URL("../fixtures/forgotten-file.ts", import.meta.url));
  const flags = ["--expose-gc", "--conditions=@tenon/source"];
  const output = execFileSync(process.execPath, [...flags, fixture, site.root], { encoding: "utf8", timeout: 240_000 });
  assert.equal(output, "10 0");
});

for (const [name, middlewares] of Object.entries({ plain: [], compressed: [compress({ encodings: ["gzip"] })] })) {
  test(`a client that closes the connection closes the file (${name})`, async () => {
    const app = await createTestApp(moduleOf(routes), api({ middlewares }));
    try {
      const { port } = await app.listen({ port: 0, signals: false });
      for (let attempt = 0; attempt < 5; attempt++) {
        const socket = connect(port, "127.0.0.1");
        socket.write("GET /large.txt HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n");
        if (attempt > 0) await once(socket, "data");
        socket.destroy();
      }
      await assertAllClosed();
    } finally {
      await app.stop();
    }
  });
}

test("a file that shrinks while it is sent closes the connection, and the log has the reason", async () => {
  const log = new LogLines();
  const app = await createTestApp(moduleOf(routes), api({ middlewares: [] }), { log: log.options });
  try {
    const { port } = await app.listen({ port: 0, signals: false });
    const socket = connect(port, "127.0.0.1");
    socket.write("GET /shrinking.txt HTTP/1.1\r\nHost: a\r\n\r\n");
    await once(socket, "data");
    socket.pause();
    truncateSync(join(site.root, "shrinking.txt"), 1000);
    let received = 0;
    socket.on("data", (chunk: Buffer) => {
      received += chunk.byteLength;
    });
    socket.on("error", () => {});
    socket.resume();
    await once(socket, "close");
    assert.ok(received < size);
    assert.deepEqual(log.causes(), ["the file became shorter while it was sent"]);
    await assertAllClosed();
  } finally {
    await app.stop();
  }
});

test("one range is read as RFC 9110 defines it; anything else means the whole file", () => {
  const cases: [string, ReturnType<typeof parseRange>][] = [
    ["", undefined],
    ["bytes=0-0", { start: 0, end: 1 }],
    ["bytes=2-4", { start: 2, end: 5 }],
    ["bytes=2-", { start: 2, end: 10 }],
    ["bytes=-3", { start: 7, end: 10 }],
    ["bytes=-30", { start: 0, end: 10 }],
    ["bytes=8-99", { start: 8, end: 10 }],
    ["Bytes=0-1", { start: 0, end: 2 }],
    ["bytes=9-", { start: 9, end: 10 }],
    ["bytes=10-", "unsatisfiable"],
    ["bytes=10-20", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    ["bytes=4-2", undefined],
    ["bytes=0-1,3-4", undefined],
    ["bytes=-", undefined],
    ["bytes=", undefined],
    ["bytes=a-b", undefined],
    ["bytes=0x0-0x1", undefined],
    ["bytes=+1-2", undefined],
    ["bytes=0-1\n", undefined],
    ["lines=0-1", undefined],
    [`bytes=${"9".repeat(400)}-`, undefined],
  ];
  for (const [header, expected] of cases) assert.deepEqual(parseRange(header, 10), expected, header);
});
