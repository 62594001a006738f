import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { readBlocks } from "./support/markdown.ts";
import { root } from "./support/run.ts";
import { temporaryFolder, writeFiles } from "./support/temporary-folder.ts";

const blocks = readBlocks().filter(({ document }) => document === "docs/web.md");
const folder = temporaryFolder("web-doc");
let site = "";
let stop: () => Promise<unknown> = async () => {};

/** Keeps the cookies of responses, and follows no redirect. */
class Visitor {
  #cookie = "";

  async ask(path: string, init: RequestInit = {}) {
    const headers = { cookie: this.#cookie, referer: `${site}/`, ...init.headers };
    const response = await fetch(site + path, { ...init, headers, redirect: "manual" });
    const [pair] = response.headers.getSetCookie()[0]?.split(";") ?? [];
    if (pair !== undefined) this.#cookie = pair;
    return { status: response.status, to: response.headers.get("location") ?? "", text: await response.text() };
  }

  async send(path: string, page: string, fields: Record<string, string>) {
    const token = /name="_csrf" value="([^"]+)"/.exec(page)?.[1] ?? "";
    return this.ask(path, { method: "POST", body: new URLSearchParams({ ...fields, _csrf: token }) });
  }
}

// in a group: hooks outside of one run before the tests of all files, and after them
describe("The first example of docs/web.md", () => {
  before(async () => {
    const files = blocks.flatMap(({ code }) => {
      const name = /^(?:\/\/|<% \/\*|\/\*) ([\w./-]+\.(?:ts|eta|css))/.exec(code)?.[1];
      return name === undefined ? [] : [[name, code] as const];
    });
    const main = files.find(([name]) => name === "main.ts")?.[1] ?? "";
    assert.match(main, /\.listen\(\{ port: 8080 \}\)/);
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    writeFiles(folder, {
      "package.json": '{ "type": "module" }',
      ...Object.fromEntries(files),
      "main.ts": main.replace("port: 8080", "port: 0"),
    });
    const child = spawn(process.execPath, ["--conditions=@tenon/source", "main.ts"], {
      cwd: folder,
      env: { ...process.env, LOG_LEVEL: "info", SESSION_SECRET: "for this test only, 32 bytes long" },
      timeout: 240_000,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    stop = async () => {
      child.kill("SIGTERM");
      assert.deepEqual(await ended, [0, null], "the example stops on SIGTERM");
    };
    for await (const line of createInterface({ input: child.stdout })) {
      site = /listening on (http:\/\/[\d.:]+)/.exec(line)?.[1] ?? "";
      if (site !== "") break;
    }
    child.stdout.resume(); // what it logs later must not fill the pipe
    assert.notEqual(site, "", "the example listens");
  });

  after(() => stop());

  test("it keeps a note, shows it, says so once, and throws it away", async () => {
    const visitor = new Visitor();
    const start = await visitor.ask("/");
    assert.equal(start.status, 200);
    assert.match(start.text, /<title>Notes<\/title>/);
    const kept = await visitor.send("/notes", start.text, { title: "<Milk>", text: "Two litres" });
    assert.match(`${kept.status} ${kept.to}`, /^303 \/notes\/[0-9a-f-]{36}$/);
    const shown = await visitor.ask(kept.to);
    assert.match(shown.text, /<p role="status">&quot;&lt;Milk&gt;&quot; is kept\.<\/p>/);
    assert.match(shown.text, /<h1>&lt;Milk&gt;<\/h1>/);
    assert.doesNotMatch((await visitor.ask(kept.to)).text, /role="status"/);
    const gone = await visitor.send(`${kept.to}?_method=DELETE`, shown.text, {});
    assert.deepEqual([gone.status, gone.to], [303, "/"]);
    assert.equal((await visitor.ask(kept.to)).status, 404);
  });

  test("its form leads back with what was typed and what is wrong, and is refused without its token", async () => {
    const visitor = new Visitor();
    const start = await visitor.ask("/");
    const back = await visitor.send("/notes", start.text, { title: "Only a title", text: "" });
    assert.deepEqual([back.status, back.to], [303, "/"]);
    const again = (await visitor.ask("/")).text;
    assert.match(again, /name="title" value="Only a title"/);
    assert.match(again, /<p class="problem">Text is required<\/p>/);
    assert.equal((await visitor.send("/notes", "", { title: "a", text: "b" })).status, 403);
  });

  test("it responds with JSON as docs/web.md says, and serves its style", async () => {
    const shell = blocks.find(({ info }) => info === "console")?.code ?? "";
    const [, path = "", body] =
      /curl -H "Accept: application\/json" http:\/\/127\.0\.0\.1:8080(\S+)\n(.*)\n/.exec(shell) ?? [];
    assert.equal((await new Visitor().ask(path, { headers: { accept: "application/json" } })).text, body);
    const style = /href="(\/assets\/notes\.[0-9a-f]+\.css)"/.exec((await new Visitor().ask("/")).text)?.[1] ?? "";
    assert.equal((await new Visitor().ask(style)).status, 200);
  });
});
