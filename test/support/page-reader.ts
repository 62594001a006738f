import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { until } from "../../packages/core/test/support/until.ts";
import { runTool } from "../../packages/tool/test/support/tool.ts";
import type { Block } from "./markdown.ts";
import { applyDiff, type Call, matchOutput, readCalls } from "./page-session.ts";
import { oneChecker, root, run, runOrFail, tool } from "./run.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { Terminals, toDev } from "./terminals.ts";

export interface ReaderOptions {
  /** The variables of containers that name the stores: the containers of a page do not exist here. */
  readonly stores?: Readonly<Record<string, string>>;
  /** Whether `npm run check` runs all tests of the application; otherwise it runs those that the page writes. */
  readonly isFull?: boolean;
}

interface FileMail {
  readonly subject: string;
  readonly links: readonly string[];
}

/** Someone who follows a page: a folder, a shell with its variables, and applications in other terminals. */
export class PageReader {
  readonly #options: ReaderOptions;
  readonly #terminals = new Terminals();
  #folder = temporaryFolder("page-reader");
  /** What the last `…` in an output stands for. */
  #seen = "";
  /** The token of the last login, which `Bearer …` stands for. */
  #token = "…";
  readonly #testFiles: string[] = [];

  constructor(options: ReaderOptions = {}) {
    this.#options = options;
  }

  async follow(blocks: readonly Block[]): Promise<void> {
    for (const block of blocks) {
      if (block.info === "console") for (const call of readCalls(block.code)) await this.#type(call);
      else await this.#write(block);
    }
  }

  /** The real address of one of the page. */
  toReal(address: string): Promise<string> {
    return this.#terminals.toReal(address);
  }

  /** The newest mail with such a subject, which a job writes to `data/mail`. */
  async waitForMail(subject: RegExp): Promise<{ readonly links: readonly string[] }> {
    const folder = join(this.#folder, "data/mail");
    const find = () => {
      const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
      const mails = names.sort().map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as FileMail); // as written by mailModule()
      return mails.findLast((mail) => subject.test(mail.subject));
    };
    await until(() => find() !== undefined, `mail with ${subject}`);
    return find() as FileMail; // it is there now
  }

  stop(): Promise<void> {
    return this.#terminals.close();
  }

  async #write({ info, code, line }: Block): Promise<void> {
    await this.#terminals.pause();
    const name = /^(?:\/\/|#|<% \/\*) ([\w./-]+)/.exec(code)?.[1];
    assert.ok(name !== undefined, `the block in line ${line} names its file`);
    if (name.startsWith("test/")) this.#testFiles.push(name);
    const file = join(this.#folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, info === "diff" ? applyDiff(readFileSync(file, "utf8"), code) : code);
  }

  /** The commands that a page may use. */
  readonly #commands: readonly (readonly [RegExp, (call: Call, ...words: string[]) => unknown])[] = [
    [/^cd (?:\.\.\/)?(\w+)$/, (_, name = "") => (this.#folder = join(this.#folder, name))],
    // in a checkout, which is installed, with the folder of this reader beside it
    [/^npm ci$/, () => {}],
    [/^npm run tenon -- new (\w+) (.+) --in=\.\.$/, (_, name = "", flags = "") => this.#create(name, flags)],
    // npm keeps flags before the two dashes to itself
    [/^npm create tenon@latest (\w+) -- (.+)$/, (_, name = "", flags = "") => this.#create(name, flags)],
    [/^npx tenon (g .+)$/, (_, words = "") => this.#generate(words)],
    [/^npx tenon (.+)$/, (call, words = "") => this.#runTool(call, words)],
    [/^npm run (dev|dev:web)$/, (call, script = "") => this.#startDev(call, script)],
    [/^npm run check$/, () => this.#check()],
    [/^npm run --silent cli -- (.+)$/, (call, words = "") => this.#compare(call, this.#toCommand("cli", words))],
    [/^docker compose up --build --wait$/, () => this.#deploy()],
    [/^curl (.+)$/, (call, words = "") => this.#request(call, words)],
    [/^echo .+ >> \.env$/, (call) => this.#compare(call, call.command)],
  ];

  async #type(call: Call): Promise<void> {
    const command = call.command.replace("Bearer …", `Bearer ${this.#token}`).replace("…", this.#seen);
    for (const [pattern, act] of this.#commands) {
      const found = pattern.exec(command);
      if (found !== null) return void (await act({ ...call, command }, ...found.slice(1)));
    }
    assert.fail(`this test does not know the command ${command}`);
  }

  async #create(name: string, flags: string): Promise<void> {
    const { code, stderr } = await runTool(this.#folder, "new", name, ...flags.split(" "));
    assert.equal(code, 0, stderr);
    // instead of npm install
    symlinkSync(join(root, "node_modules"), join(this.#folder, name, "node_modules"));
    writeFileSync(join(this.#folder, name, "package-lock.json"), "{}\n");
  }

  async #generate(words: string): Promise<void> {
    await this.#terminals.pause();
    const { code, stderr } = await runTool(this.#folder, ...words.split(" "));
    assert.equal(code, 0, stderr);
  }

  async #runTool(call: Call, words: string): Promise<void> {
    await this.#terminals.pause();
    const main = join(root, "packages/tool/src/main.ts");
    await this.#compare(call, `'${process.execPath}' --conditions=@tenon/source '${main}' ${words}`);
  }

  async #startDev(call: Call, script: string): Promise<void> {
    const [program, command, ...words] = this.#scriptOf(script);
    assert.deepEqual([program, command], ["tenon", "dev"]);
    const banner = await this.#terminals.start(script === "dev" ? "8080" : "8081", toDev(this.#folder, words));
    matchOutput({ ...call, output: call.output.trim() }, banner);
  }

  async #request(call: Call, words: string): Promise<void> {
    await this.#compare(call, `curl --silent --show-error ${await this.#terminals.toReal(words)}`);
  }

  async #test(): Promise<void> {
    const args = this.#options.isFull
      ? this.#scriptOf("test").slice(1)
      : ["--conditions=@tenon/source", "--test", "--test-isolation=none", ...this.#testFiles];
    if (this.#options.isFull || this.#testFiles.length > 0)
      await runOrFail(process.execPath, args, { cwd: this.#folder, timeout: 300_000 });
  }

  async #check(): Promise<void> {
    await runOrFail(tool("biome"), ["check", "."], { cwd: this.#folder });
    await runOrFail(tool("tsc"), ["-p", ".", ...oneChecker], { cwd: this.#folder, timeout: 300_000 });
    await this.#test();
  }

  /** Starts what the containers of compose.yaml start, on the stores of this machine. */
  async #deploy(): Promise<void> {
    await this.#terminals.close();
    const given = parseEnv(readFileSync(join(this.#folder, ".env"), "utf8"));
    const env = { ...given, ...this.#options.stores, NODE_ENV: "production", PORT: "0", HOST: "127.0.0.1" };
    for (const [port, script] of Object.entries({ 8080: "start:api", 8081: "start:web" })) {
      const [program, ...args] = this.#scriptOf(script);
      assert.equal(program, "node");
      await this.#terminals.start(port, { args, folder: this.#folder, env });
    }
  }

  async #compare(call: Call, script: string): Promise<void> {
    const { stdout, stderr } = await run("sh", ["-c", script], { cwd: this.#folder });
    this.#seen = matchOutput(call, stdout + stderr) ?? this.#seen;
    if (call.output === '{"token":"…"}') this.#token = this.#seen;
  }

  #toCommand(script: string, words: string): string {
    const [, ...args] = this.#scriptOf(script);
    return [`'${process.execPath}'`, ...args, words].join(" ");
  }

  /** The words of a script of package.json. */
  #scriptOf(name: string): string[] {
    const manifest = readFileSync(join(this.#folder, "package.json"), "utf8");
    const { scripts } = JSON.parse(manifest) as { scripts: Record<string, string> }; // the tool wrote it
    return scripts[name]?.replaceAll('"', "").split(" ") ?? assert.fail(`there is no script ${name}`);
  }
}
