import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { findOldNode } from "../../../test/support/old-node.ts";
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
const old = findOldNode();

for (const [command = "", ...flags] of [pretended, ...(old === undefined ? [] : [[old]])]) {
  const title = flags.length > 0 ? "a pretended old Node" : "a real old Node";

  test(`every binary says what to do on ${title}`, async () => {
    const cwd = temporaryFolder("bin");
    const [tenon = "", create = ""] = binaries;
    const npm = { npm_config_template: "web", npm_config_lint: "" };
    const start = /^Tenon needs Node 24 or newer, this is v\d+\.\d+\.\d+\. Install it from https:\/\/nodejs\.org, or /;
    const npx = "npx -y -p node@26 -p create-tenon create-tenon";
    for (const [words, end, env] of [
      [[tenon, "dev"], "give the application one of its own: npm install --save-dev --save-exact node@26\n"],
      [[tenon, "new", "shop"], `create the application with one of its own:\n  ${npx} shop\n`],
      [[create, "shop"], `create the application with one of its own:\n  ${npx} shop\n`],
      [
        [create, "it's"],
        `create the application with one of its own:\n  ${npx} 'it'\\''s' --template=web --no-lint\n`,
        npm,
      ],
    ] as const) {
      const { code, stdout, stderr } = await run(command, [...flags, ...words], { cwd, env: { ...env } });
      assert.deepEqual([code, stdout, stderr.replace(start, "")], [1, "", end]);
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

test("create-tenon takes the flags that npm has kept for itself, or refuses those without a value", async () => {
  const cwd = temporaryFolder("bin");
  const create = (env: Readonly<Record<string, string>>, ...words: readonly string[]) =>
    run(process.execPath, [binaries[1] ?? "", ...words], { cwd, env: { npm_config_install: "", ...env } });
  const { code, stderr } = await create({ npm_config_template: "web", npm_config_lint: "" }, "shop");
  assert.equal(code, 0, stderr);
  assert.ok(existsSync(join(cwd, "shop/src/main.web.ts")));
  assert.ok(!existsSync(join(cwd, "shop/biome.json")) && !existsSync(join(cwd, "shop/node_modules")));
  // npm create tenon stall --template web
  const refused = await create({ npm_config_template: "true" }, "stall", "web");
  assert.deepEqual([refused.code, refused.stdout], [2, ""]);
  assert.match(
    refused.stderr,
    /^npm keeps flags to itself and drops their values\. Write --template=web, or put -- before/,
  );
  assert.equal((await create({ npm_config_template: "rest" }, "stall")).code, 2);
  assert.ok(!existsSync(join(cwd, "stall")));
});

test("create-tenon gives an application a Node where that of the machine is too old", async () => {
  const cwd = temporaryFolder("bin");
  const env = { npm_config_user_agent: "npm/11.19.1 node/v20.20.2 linux x64 workspaces/false" };
  const node = join(root, "node_modules/node/bin/node");
  const { code, stderr } = await run(node, [binaries[1] ?? "", "shop", "--no-install"], { cwd, env });
  assert.equal(code, 0, stderr);
  assert.match(readFileSync(join(cwd, "shop/package.json"), "utf8"), /^ {4}"node": "26\./m);
  assert.match(readFileSync(join(cwd, "shop/README.md"), "utf8"), /run on the Node that `package\.json` pins/);
  assert.ok(!existsSync(join(cwd, "shop/.nvmrc")));
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
