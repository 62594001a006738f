import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { oneChecker, type RunResult, root, run, runOrFail, tool } from "../../../../test/support/run.ts";
import { runCommand, runTool } from "./tool.ts";

export const isFull = process.env.TENON_FULL === "1";

/** Generates an application with a module of each type. With TENON_FULL it is installed from the registry. */
export async function generateApp(folder: string, template: string, name = "my-shop"): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const app = join(folder, name);
  for (const result of [
    await runTool(folder, "app", `--name=${name}`, `--template=${template}`, "--no-accounts"),
    await runTool(app, "g", "module", "--name=blog-post", "--type=resource", "--public"),
    await runTool(app, "generate", "module", "--name=person", "--type=plain"),
  ]) {
    assert.equal(result.code, 0, result.stderr);
  }
  if (isFull) await runOrFail("npm", ["install"], { cwd: app });
  else symlinkSync(join(root, "node_modules"), join(app, "node_modules"));
  return app;
}

/** Checks lint and format of applications by their own settings. */
export async function checkStyle(apps: readonly string[]): Promise<void> {
  for (const app of apps) await runOrFail(tool("biome"), ["check", "--error-on-warnings", "."], { cwd: app });
}

/** Checks the types of several applications in one run: all have the same options. */
export async function checkTypes(folder: string, apps: readonly string[]): Promise<void> {
  const [first = ""] = apps;
  const include = apps.flatMap((app) => [join(app, "src"), join(app, "test")]);
  const config = {
    extends: join(first, "tsconfig.json"),
    compilerOptions: { typeRoots: [join(root, "node_modules/@types")] },
    include,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  await runOrFail(tool("tsc"), ["-p", ".", ...oneChecker], { cwd: folder });
}

/** Checks that `tenon routes --audit` has no findings in any entry point with HTTP, and returns what it lists. */
export async function checkAudit(apps: readonly string[]): Promise<string[]> {
  const listed: string[] = [];
  for (const app of apps) {
    for (const entry of globSync("src/main.{api,web}.ts", { cwd: app })) {
      const { stdout, stderr } = await runCommand("routes", "--audit", `--entry=${entry}`, `--in=${app}`);
      const lines = stdout.trimEnd().split("\n");
      assert.deepEqual([lines.pop(), stderr], ["no findings", ""], `${app}, ${entry}: ${stdout}`);
      listed.push(...lines);
    }
  }
  return listed;
}

/** `npm run <script>` as a command. Without TENON_FULL the script runs directly, which saves half a second of npm. */
function toCommand(app: string, script: string, words: readonly string[] = []) {
  if (isFull) return { command: "npm", args: ["run", script, "--silent", "--", ...words], env: {} };
  const { scripts } = JSON.parse(readFileSync(join(app, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  }; // the templates have them
  const PATH = `${join(app, "node_modules/.bin")}:${process.env.PATH}`;
  return { command: "sh", args: ["-c", `${scripts[script]} "$@"`, "sh", ...words], env: { PATH } };
}

export function runScript(
  app: string,
  script: string,
  words: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<RunResult> {
  const command = toCommand(app, script, words);
  // hashing the passwords of the generated tests takes long on a busy machine
  return run(command.command, command.args, { cwd: app, env: { ...command.env, ...env }, timeout: 240_000 });
}

/** Like `runScript`, for scripts that must succeed. */
export async function runScriptOrFail(...args: Parameters<typeof runScript>): Promise<string> {
  const { code, stdout, stderr } = await runScript(...args);
  assert.equal(code, 0, `${args[1]}:\n${stdout}${stderr}`);
  return stdout;
}

/** Runs the script on a free port until the work is done. */
export async function whileServing(
  app: string,
  script: string,
  work: (url: string) => Promise<void>,
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { command, args, env } = toCommand(app, script);
  const child = spawn(command, args, {
    cwd: app,
    env: { ...process.env, ...env, PORT: "0", LOG_LEVEL: "info", ...variables },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true, // a process group, so that npm or the shell stops together with the application
  });
  const ended = once(child, "close");
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /listening on (http:\/\/[\d.:]+)/.exec(line)?.[1];
      if (url === undefined) continue;
      child.stdout.resume(); // later log lines would fill the pipe and block the application
      await work(url);
      return;
    }
    assert.fail("the application ended without listening");
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    await ended;
  }
}
