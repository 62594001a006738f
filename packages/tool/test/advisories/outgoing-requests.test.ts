import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { createApplication } from "../support/described-app.ts";
import { runCommand } from "../support/tool.ts";

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server has no path
}

test("the one command that sends a request bounds the response and shapes no header (H14, undici CVE-2026-1525, CVE-2026-22036, Node CVE-2026-48931)", async (t) => {
  const folder = createApplication({});
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, " "));
  const seen: (readonly string[])[] = [];
  const server = createServer((request, response) => {
    seen.push([request.url ?? "", ...request.rawHeaders.map((name) => name.toLowerCase())]);
    response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
  });
  const url = await listen(server);
  t.after(() => server.close());

  const large = await runCommand("client", "--out=x.ts", `--from=${url}/bomb`, `--in=${folder}`);
  assert.deepEqual([large.code, large.stderr], [1, `tenon: ${url}/bomb is larger than 32 MiB\n`]);

  const split = `${url}/a\r\nx-injected: 1\r\n\r\nGET /b`;
  assert.equal((await runCommand("client", "--out=x.ts", `--from=${split}`, `--in=${folder}`)).code, 1);
  assert.deepEqual(
    seen.map(([path]) => path),
    ["/bomb", "/ax-injected:%201GET%20/b"],
  );
  assert.ok(seen.every((texts) => !texts.includes("x-injected")));
});
