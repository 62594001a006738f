import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { services, withPostgres } from "../packages/data/test/support/services.ts";
import { type Listening, startListening } from "./support/listening.ts";
import { type Block, readBlocks } from "./support/markdown.ts";
import { applyDiff, type Call, matchOutput, readCalls } from "./support/page-session.ts";
import { oneChecker, root, run, runOrFail, tool } from "./support/run.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const isFull = process.env.TENON_FULL === "1";
const page = readFileSync(join(root, "docs/tutorial.md"), "utf8");
const blocks = readBlocks().filter(({ document }) => document === "docs/tutorial.md");
const databaseUrl = "postgres://postgres@127.0.0.1:5432/blog";

interface Step {
  readonly title: string;
  readonly blocks: readonly Block[];
}

function readSteps(): Step[] {
  const headings = [...page.matchAll(/^## (\d\. .+)$/gm)].map(({ index, 1: title = "" }) => ({
    title,
    line: page.slice(0, index).split("\n").length,
  }));
  return headings.map(({ title, line }, index) => ({
    title,
    blocks: blocks.filter((block) => block.line > line && block.line < (headings[index + 1]?.line ?? Infinity)),
  }));
}

/** A reader of the page: a folder, a shell with its variables, and the application that runs in the second terminal. */
class Reader {
  #folder = temporaryFolder("tutorial-doc");
  #env: Record<string, string> = {};
  #server: Listening | undefined;
  /** What the last `…` in an output stands for. */
  #seen = "";
  readonly #testFiles: string[] = [];
  readonly #databaseUrl: string;

  constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl;
  }

  async follow({ blocks: all }: Step): Promise<void> {
    try {
      for (const block of all) {
        if (block.info === "console") for (const call of readCalls(block.code)) await this.#type(call);
        else this.#write(block);
      }
    } finally {
      await this.#stop();
    }
  }

  #write({ info, code, line }: Block): void {
    const name = /^(?:\/\/|#|<% \/\*) ([\w./-]+)/.exec(code)?.[1];
    assert.ok(name !== undefined, `the block in line ${line} names its file`);
    if (name.startsWith("test/")) this.#testFiles.push(name);
    const file = join(this.#folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, info === "diff" ? applyDiff(readFileSync(file, "utf8"), code) : code);
  }

  /** The commands that the page may use. */
  readonly #commands: readonly (readonly [RegExp, (call: Call, ...words: string[]) => unknown])[] = [
    [/^cd (\w+)$/, (_, name = "") => (this.#folder = join(this.#folder, name))],
    // npm keeps flags before the two dashes to itself
    [/^npm create tenon@latest (\w+) -- (.+)$/, (_, name = "", flags = "") => this.#create(name, flags)],
    [/^npx tenon (.+)$/, (_, words = "") => this.#tool(words)],
    [/^npm install (\S+)$/, (_, name = "") => this.#install(name)],
    [/^npm test$/, () => this.#test()],
    [/^npm run types$/, () => runOrFail(tool("tsc"), ["-p", ".", ...oneChecker], { cwd: this.#folder })],
    [/^npm start$/, () => this.#start(this.#scriptOf("start"))],
    [/^npm run start:web$/, () => this.#openPages()],
    [/^node (\S+)$/, (_, file = "") => this.#start([file])],
    [/^npm run --silent cli -- (.+)$/, (call, words = "") => this.#compare(call, this.#toCommand("cli", words))],
    [/^curl (.+)$/, (call, words = "") => this.#compare(call, `curl --silent --show-error ${words}`)],
    [/^(export (\w+)=.+)$/, (_, command = "", name = "") => this.#export(command, name)],
  ];

  async #type(call: Call): Promise<void> {
    const command = call.command.replace("…", this.#seen).replace(databaseUrl, this.#databaseUrl);
    for (const [pattern, act] of this.#commands) {
      const found = pattern.exec(command);
      if (found !== null) return void (await act(call, ...found.slice(1)));
    }
    assert.fail(`this test does not know the command ${command}`);
  }

  async #create(name: string, flags: string): Promise<void> {
    await this.#tool(`app --name=${name} ${flags}`);
    symlinkSync(join(root, "node_modules"), join(this.#folder, name, "node_modules"));
  }

  async #tool(words: string): Promise<void> {
    const main = join(root, "packages/tool/src/main.ts");
    const args = ["--conditions=@tenon/source", main, ...words.split(" "), "--no-install"];
    await runOrFail(process.execPath, args, { cwd: this.#folder });
  }

  #install(name: string): void {
    assert.ok(existsSync(join(this.#folder, "node_modules", name)), `the workspace has ${name}`);
  }

  async #export(command: string, name: string): Promise<void> {
    this.#env[name] = await runOrFail("sh", ["-c", `${command}; printf %s "$${name}"`]);
  }

  async #start(args: readonly string[]): Promise<void> {
    await this.#stop();
    this.#server = await startListening({ folder: this.#folder, args, env: { ...this.#env, PORT: "0" } });
  }

  async #stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.stop();
  }

  /** The pages that the text names have to be there. */
  async #openPages(): Promise<void> {
    await this.#start(this.#scriptOf("start:web"));
    const paths = [...page.matchAll(/^Open http:\/\/127\.0\.0\.1:8081(\/\w+)/gm)].map(([, path]) => path);
    assert.ok(paths.length > 0);
    for (const path of paths) {
      const response = await fetch(`${this.#server?.url}${path}`);
      assert.equal(response.status, 200, await response.text());
    }
  }

  /** Without TENON_FULL, only the test files of the page, in one process: a process for every file takes seconds. */
  async #test(): Promise<void> {
    const files = isFull ? [] : this.#testFiles;
    const args = isFull ? this.#scriptOf("test") : ["--conditions=@tenon/source", "--test", "--test-isolation=none"];
    if (isFull || files.length > 0)
      await runOrFail(process.execPath, [...args, ...files], { cwd: this.#folder, env: this.#env });
  }

  async #compare(call: Call, command: string): Promise<void> {
    const script = command.replace(/http:\/\/127\.0\.0\.1:8080/, this.#server?.url ?? "");
    const { stdout, stderr } = await run("sh", ["-c", script], { cwd: this.#folder, env: this.#env });
    this.#seen = matchOutput(call, stdout + stderr) ?? this.#seen;
  }

  #toCommand(script: string, words: string): string {
    return [`'${process.execPath}'`, ...this.#scriptOf(script), words].join(" ");
  }

  /** The arguments that a script of package.json gives to Node. */
  #scriptOf(name: string): string[] {
    const manifest = readFileSync(join(this.#folder, "package.json"), "utf8");
    const { scripts } = JSON.parse(manifest) as { scripts: Record<string, string> }; // the tool wrote it
    const [node, ...args] = scripts[name]?.replaceAll('"', "").split(" ") ?? [];
    assert.equal(node, "node");
    return args;
  }
}

describe("docs/tutorial.md", () => {
  const steps = readSteps();
  const database = Promise.withResolvers<string>();
  const done = Promise.withResolvers<void>();
  const open =
    services.postgres === undefined
      ? Promise.resolve(database.resolve(databaseUrl))
      : withPostgres((url) => {
          database.resolve(url);
          return done.promise;
        });
  after(async () => {
    done.resolve();
    await open;
  });
  const reader = database.promise.then((url) => new Reader(url));

  test("has eight steps", () => {
    assert.equal(steps.length, 8);
  });

  let followed = 0;
  for (const [index, step] of steps.entries()) {
    const skip = step.title.includes("PostgreSQL") && services.postgres === undefined;
    test(`step ${step.title}`, { skip }, async () => {
      assert.equal(followed, index, "the steps before have worked");
      await (await reader).follow(step);
      followed++;
    });
  }
});
