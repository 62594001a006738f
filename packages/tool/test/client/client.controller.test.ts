import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { toClientFile } from "../../src/client/client-file.ts";
import { createApplication, toDescribing } from "../support/described-app.ts";
import { libraryDocument } from "../support/library-document.ts";
import { runCommand } from "../support/tool.ts";

const text = JSON.stringify(libraryDocument);
const folder = createApplication({
  "openapi.json": text,
  "old.json": '{ "openapi": "3.0.3" }',
  "swagger.json": '{ "swagger": "2.0" }',
  "list.json": "[]",
  "broken.json": "{",
  "src/main.api.ts": toDescribing({ openapi: { ...libraryDocument, info: { title: "App" } } }),
});
const run = (...argv: string[]) => runCommand("client", ...argv, `--in=${folder}`);
const read = (name: string) => readFileSync(join(folder, name), "utf8");

test("tenon client writes a client of a document, and says what it wrote", async () => {
  const result = await run("--out=client.ts", "--from=openapi.json");
  assert.deepEqual(result, { code: 0, stdout: "created  client.ts: a client of 20 operations\n", stderr: "" });
  assert.equal(read("client.ts"), toClientFile(JSON.parse(text)));
});

test("tenon client does not touch a file that would not change", async () => {
  await run("--out=same.ts", "--from=openapi.json");
  const file = join(folder, "same.ts");
  utimesSync(file, 1, 1);
  assert.equal(
    (await run("--out=same.ts", "--from=openapi.json")).stdout,
    "unchanged  same.ts: a client of 20 operations\n",
  );
  assert.equal(statSync(file).mtimeMs, 1000);
  writeFileSync(file, read("same.ts").replace("Library", "Other"));
  assert.equal(
    (await run("--out=same.ts", "--from=openapi.json")).stdout,
    "changed  same.ts: a client of 20 operations\n",
  );
});

test("tenon client describes the application by default", async () => {
  const { code, stderr } = await run("-o", "app.ts");
  assert.equal(code, 0, stderr);
  assert.match(read("app.ts"), /A client of App\./);
});

test("tenon client reads a document from a URL", async () => {
  const server = createServer((request, response) => {
    response.writeHead(request.url === "/openapi.json" ? 200 : 404).end(text);
  }).listen(0, "127.0.0.1");
  after(() => server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server has no path
  assert.equal((await run("--out=remote.ts", `--from=${url}/openapi.json`)).code, 0);
  assert.equal(read("remote.ts"), toClientFile(JSON.parse(text)));
  const missing = await run("--out=remote.ts", `--from=${url}/lost`);
  assert.deepEqual([missing.code, missing.stderr], [1, `tenon: ${url}/lost responded with status 404\n`]);
});

test("every failure is one line with exit code 1", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const closed = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // a TCP server has no path
  await new Promise((resolve) => server.close(resolve));
  mkdirSync(join(folder, "place"));
  writeFileSync(join(folder, "own.ts"), "export const mine = 1;\n");
  const notOpenapi = "is not an OpenAPI 3.1 document:";
  for (const [flags, message] of [
    [["--from=openapi.json"], "--out is missing. Usage: tenon client --out=client.ts [--from=<file or URL>]"],
    [["--out=x.ts", "--from=lost.json"], "lost.json cannot be read: ENOENT"],
    [["--out=x.ts", "--from=old.json"], `old.json ${notOpenapi} its version is "3.0.3"`],
    [["--out=x.ts", "--from=swagger.json"], `swagger.json ${notOpenapi} it has no "openapi" field`],
    [["--out=x.ts", "--from=list.json"], `list.json ${notOpenapi} it has no "openapi" field`],
    [["--out=x.ts", "--from=broken.json"], `broken.json ${notOpenapi} it is not JSON`],
    [["--out=x.ts", "--from=http://127.0.0.1:1/"], "http://127.0.0.1:1/ cannot be reached: bad port"],
    [["--out=x.ts", `--from=${closed}`], `${closed} cannot be reached: ECONNREFUSED`],
    [["--out=own.ts", "--from=openapi.json"], "own.ts exists already and was not generated: nothing was changed"],
    [["--out=place", "--from=openapi.json"], "place is a folder: nothing was changed"],
    [["--out=no/x.ts", "--from=openapi.json"], `there is no folder ${join(folder, "no")} for no/x.ts`],
  ] as const) {
    assert.deepEqual(await run(...flags), { code: 1, stdout: "", stderr: `tenon: ${message}\n` });
  }
  assert.equal(read("own.ts"), "export const mine = 1;\n");
});
