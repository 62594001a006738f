import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { symlinkSync } from "node:fs";
import { request } from "node:https";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { whileListening } from "./support/listening.ts";
import { readBlocks } from "./support/markdown.ts";
import { oneChecker, root, run, runOrFail, tool } from "./support/run.ts";
import { temporaryFolder, writeFiles } from "./support/temporary-folder.ts";

const blocks = readBlocks();
const source = "--conditions=@tenon/source";

/** The first block of a language in a recipe. */
function blockOf(recipe: string, info: string): string {
  const found = blocks.find((block) => block.document === `docs/recipes/${recipe}.md` && block.info === info);
  assert.ok(found, `docs/recipes/${recipe}.md has a block of ${info}`);
  return found.code;
}

/** A folder with the named blocks of a recipe, which finds the packages of the workspace. */
function writeRecipe(recipe: string, changes: (code: string) => string = (code) => code): string {
  const outer = temporaryFolder(recipe);
  symlinkSync(join(root, "node_modules"), join(outer, "node_modules"));
  const folder = join(outer, "app");
  writeFiles(folder, { "package.json": '{ "type": "module", "scripts": { "start": "node src/main.ts" } }' });
  for (const { document, code } of blocks) {
    const name = /^(?:\/\/|#) ([\w./-]+\.ts)$/m.exec(code)?.[1];
    if (document === `docs/recipes/${recipe}.md` && name !== undefined) writeFiles(folder, { [name]: changes(code) });
  }
  return folder;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  assert.ok(typeof address === "object" && address !== null);
  return address.port;
}

async function isInstalled(command: string, flag: string): Promise<boolean> {
  return run(command, [flag]).then(
    ({ code }) => code === 0,
    () => false,
  );
}

/** The words after a keyword at the start of a line, without comments. */
function linesOf(text: string, keyword: string): string[] {
  return [...text.matchAll(new RegExp(`^${keyword}[ =](.*)$`, "gm"))].map(([, rest = ""]) => rest);
}

function toVariables(text: string): Record<string, string> {
  return Object.fromEntries(text.split(" ").map((pair) => pair.split("=", 2)));
}

test("the client of docs/recipes/sharing-types.md compiles and calls the application", async () => {
  const folder = writeRecipe("sharing-types", (code) => code.replace("port: 8080", "port: 0"));
  const command = linesOf(blockOf("sharing-types", "console"), "\\$ npx")[0] ?? "";
  const words = command.split(" ");
  assert.deepEqual(words.shift(), "tenon");
  const printed = await runOrFail(process.execPath, [source, join(root, "packages/tool/src/main.ts"), ...words], {
    cwd: folder,
    env: { NODE_OPTIONS: source },
  });
  assert.match(blockOf("sharing-types", "console"), new RegExp(`^${RegExp.escape(printed.trim())}$`, "m"));

  const web = join(dirname(folder), "web");
  const compilerOptions = { noEmit: true, module: "nodenext", lib: ["es2025", "dom", "dom.iterable"], types: [] };
  writeFiles(web, {
    "package.json": '{ "type": "module" }',
    "tsconfig.json": JSON.stringify({ extends: join(root, "tsconfig.base.json"), compilerOptions, include: ["src"] }),
    "src/check.ts":
      'import { addTodo, listTodos } from "./todos.ts";\nconsole.log(await addTodo("Rest"), await addTodo("Rest"), (await listTodos()).length);\n',
  });
  await runOrFail(tool("tsc"), ["-p", ".", ...oneChecker], { cwd: web });
  await whileListening({ folder, args: ["src/main.ts"] }, async (url) => {
    const calling = await runOrFail(
      process.execPath,
      ["--import", `data:text/javascript,${toReplacedFetch(url)}`, "src/check.ts"],
      { cwd: web },
    );
    assert.equal(calling, "added as number 2 It is on the list already 2\n");
  });
});

/** The page names port 8080; the application listens on a free one. */
function toReplacedFetch(url: string): string {
  const text = `const real = fetch; globalThis.fetch = (request) => real(new Request(request.url.replace("http://127.0.0.1:8080", "${url}"), request));`;
  return encodeURIComponent(text);
}

test("the image of docs/recipes/docker.md starts, is healthy and stops", async () => {
  const folder = writeRecipe("docker");
  const dockerfile = blockOf("docker", "dockerfile");
  const env = Object.assign({}, ...linesOf(dockerfile, "ENV").map(toVariables));
  assert.equal(env.HOST, "0.0.0.0", "other containers can reach it");
  const [command = ""] = linesOf(dockerfile, "CMD");
  const [node, ...args] = JSON.parse(command) as string[]; // the form of CMD that starts no shell
  assert.equal(node, "node");
  const [, check = ""] = linesOf(dockerfile, "HEALTHCHECK")[0]?.split(" CMD ") ?? [];
  const [, ...checkArgs] = JSON.parse(check) as string[]; // as above
  await whileListening({ folder, args, env: { ...env, HOST: "127.0.0.1", PORT: "0" } }, async (url) => {
    const { port } = new URL(url);
    assert.equal((await run(process.execPath, checkArgs, { env: { PORT: port } })).code, 0);
    assert.equal((await fetch(`${url}/health/ready`)).status, 200);
  });
  assert.equal((await run(process.execPath, checkArgs, { env: { PORT: String(await freePort()) } })).code, 1);
});

test("the unit of docs/recipes/systemd.md is valid, and its command starts and stops", async (t) => {
  const folder = writeRecipe("systemd");
  const unit = blockOf("systemd", "ini");
  const env = Object.assign({}, ...linesOf(unit, "Environment").map(toVariables));
  const [command = ""] = linesOf(unit, "ExecStart");
  const args = command.split(" ").map((word) => word.replace("/srv/blog", folder));
  assert.equal(args.shift(), "/usr/bin/node");
  await whileListening(
    { folder, args, env: { ...env, PORT: "0", NODE_COMPILE_CACHE: join(folder, "cache") } },
    async (url) => {
      assert.equal((await fetch(`${url}/health/ready`)).status, 200);
    },
  );
  if (!(await isInstalled("systemd-analyze", "--version"))) return t.diagnostic("systemd-analyze is not installed");
  writeFiles(folder, { "blog.service": unit.replace("/usr/bin/node", process.execPath) });
  const { code, stdout, stderr } = await run("systemd-analyze", ["verify", join(folder, "blog.service")]);
  assert.deepEqual([code, stdout, stderr], [0, "", ""]);
});

test("nginx with the configuration of docs/recipes/nginx.md passes on client, protocol and host", async (t) => {
  if (!(await isInstalled("nginx", "-v"))) return t.skip("nginx is not installed");
  const folder = writeRecipe("nginx", (code) => code.replace("port: 8080", "port: 0"));
  const key = [
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-keyout",
    "key.pem",
    "-out",
    "fullchain.pem",
    "-subj",
    "/CN=blog.example",
  ];
  await runOrFail("openssl", ["req", "-x509", "-days", "1", ...key], { cwd: folder });
  const [plain, secure] = [await freePort(), await freePort()];
  await whileListening({ folder, args: ["main.ts"] }, async (url) => {
    const site = blockOf("nginx", "nginx")
      .replace("127.0.0.1:8080", new URL(url).host)
      .replace("listen 80;", `listen 127.0.0.1:${plain};`)
      .replace("listen 443 ssl;", `listen 127.0.0.1:${secure} ssl;`)
      .replaceAll("/etc/ssl/blog/", `${folder}/`);
    writeFiles(folder, { "nginx.conf": toNginxConf(folder, site) });
    const flags = ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")];
    await runOrFail("nginx", ["-t", ...flags]);
    const nginx = spawn("nginx", flags, { stdio: "inherit", timeout: 240_000 });
    const ended = once(nginx, "exit");
    try {
      await untilListening(plain);
      const moved = await fetch(`http://127.0.0.1:${plain}/client?a=1`, { redirect: "manual" });
      assert.deepEqual([moved.status, moved.headers.get("location")], [301, "https://blog.example/client?a=1"]);
      const { headers, text } = await ask(secure, "/client");
      // the addresses, the protocol and the host that the client sends are not believed
      assert.deepEqual(JSON.parse(text), { address: "127.0.0.1", protocol: "https", host: "blog.example" });
      assert.match(String(headers["strict-transport-security"]), /max-age/);
      assert.match(String(headers["x-request-id"]), /^[0-9a-f]{32}$/); // made by nginx
    } finally {
      nginx.kill("SIGQUIT");
      await ended;
    }
  });
});

function toNginxConf(folder: string, site: string): string {
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const http = `access_log off;\n${places.join("\n")}\n${site}`;
  return `daemon off;\nmaster_process off;\npid ${folder}/nginx.pid;\nevents {}\nhttp {\n${http}}\n`;
}

async function untilListening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 1000; attempt++) {
    const found = await fetch(`http://127.0.0.1:${port}`, { redirect: "manual" }).catch(() => undefined);
    if (found !== undefined) return;
    await setTimeout(50);
  }
  assert.fail("nginx does not listen");
}

function ask(port: number, path: string) {
  const headers = {
    host: "blog.example",
    "x-forwarded-for": "198.51.100.1",
    "x-forwarded-proto": "http",
    "x-forwarded-host": "attacker.example",
  };
  const options = { host: "127.0.0.1", port, path, headers, servername: "blog.example", rejectUnauthorized: false };
  return new Promise<{ headers: NodeJS.Dict<string | string[]>; text: string }>((resolve, reject) => {
    const call = request(options, async (response) => {
      response.setEncoding("utf8");
      let text = "";
      for await (const chunk of response) text += chunk;
      resolve({ headers: response.headers, text });
    });
    call.on("error", reject).end();
  });
}
