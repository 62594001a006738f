import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { root, run } from "../../../test/support/run.ts";
import { temporaryFolder, writeFiles } from "../../../test/support/temporary-folder.ts";
import { readOrigin } from "../src/scaffold/origin.ts";

const { version } = readOrigin();
const binaries = ["packages/tool/bin/tenon.mjs", "packages/create/bin/create-tenon.mjs"].map((file) =>
  join(root, file),
);

/** This Node under another version. */
const pretended = [
  process.execPath,
  "--import",
  `data:text/javascript,${encodeURIComponent('Object.defineProperty(process, "version", { value: "v20.20.2" });')}`,
];
/** A real one of the machine, outside of any node_modules: it has not the syntax and the modules of a newer one. */
const old = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .map((folder) => join(folder, "node"))
  .find((file) => Number(/^v(\d+)/.exec(spawnSync(file, ["--version"], { encoding: "utf8" }).stdout ?? "")?.[1]) < 24);

for (const [command = "", ...flags] of [pretended, ...(old === undefined ? [] : [[old]])]) {
  const title = flags.length > 0 ? "a pretended old Node" : "a real old Node";

  test(`every binary prints one clear line on ${title}`, async () => {
    const cwd = temporaryFolder("bin");
    for (const binary of binaries) {
      const { code, stdout, stderr } = await run(command, [...flags, binary, "shop"], { cwd });
      assert.equal(code, 1);
      assert.equal(stdout, "");
      assert.match(stderr, /^Tenon needs Node 24 or newer, this is v\d+\.\d+\.\d+\. Install it from .+\n$/);
    }
  });

  test(`continues with the Node of the application on ${title}`, async () => {
    const app = temporaryFolder("bin");
    writeFiles(app, { "package.json": "{}" });
    mkdirSync(join(app, "node_modules"));
    mkdirSync(join(app, "src"));
    symlinkSync(join(root, "node_modules/node"), join(app, "node_modules/node"));
    const [tenon = ""] = binaries;
    const printed = await run(command, [...flags, tenon, "--version"], { cwd: join(app, "src") });
    assert.deepEqual([printed.code, printed.stdout.trim()], [0, `tenon ${version}`], printed.stderr);
    const refused = await run(command, [...flags, tenon, "new", "Shop"], { cwd: app });
    assert.equal(refused.code, 2, "the exit code is that of the command");
  });
}

test("uses no Node from a folder above the application", async () => {
  const folder = temporaryFolder("bin");
  writeFiles(folder, { "app/package.json": "{}", "package.json": "{}" });
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(join(root, "node_modules/node"), join(folder, "node_modules/node"));
  const [command = "", ...flags] = pretended;
  const { code } = await run(command, [...flags, binaries[0] ?? "", "--version"], { cwd: join(folder, "app") });
  assert.equal(code, 1);
});

test("create-tenon creates an application as tenon new does", async () => {
  const cwd = temporaryFolder("bin");
  const { code, stdout, stderr } = await run(process.execPath, [binaries[1] ?? "", "shop", "--no-install"], { cwd });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /shop is ready\. Next:\n {2}cd shop\n/);
});

test("passes a signal on to the process that runs the command", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server has no path
  const connected = once(server, "connection") as Promise<[Socket]>; // as node:net says
  const cwd = temporaryFolder("bin");
  const words = ["client", "--out=client.ts", `--from=http://127.0.0.1:${port}/`];
  const child = spawn(process.execPath, [binaries[0] ?? "", ...words], { cwd, stdio: "ignore" });
  const exit = once(child, "exit");
  const [socket] = await connected; // the command waits for a response now
  const closed = once(socket.resume(), "close");
  child.kill("SIGTERM");
  await closed;
  const [code, signal] = await exit;
  assert.ok(signal === "SIGTERM" || code === 143, `${code} ${signal}`);
  server.close();
});
