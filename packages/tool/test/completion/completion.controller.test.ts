import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { run } from "../../../../test/support/run.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { CatalogCommand } from "../../src/completion/command-catalog.ts";
import { type Shell, shells, toCompletionScript } from "../../src/completion/completion.ts";
import { toPlaces } from "../../src/completion/completion-places.ts";
import { runCommand } from "../support/tool.ts";

const folder = temporaryFolder("completion");

async function writeScript(shell: Shell): Promise<string> {
  const { code, stdout } = await runCommand("completion", shell);
  assert.equal(code, 0);
  const file = join(folder, `tenon.${shell}`);
  writeFileSync(file, stdout);
  return file;
}

const isInstalled = (shell: string) => spawnSync(shell, ["--version"]).error === undefined;

/** What bash offers after these words; `=` is a word of its own, as in a terminal. */
async function completeInBash(file: string, ...words: readonly string[]): Promise<string[]> {
  const script = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tenon; printf "%s\\n" "\${COMPREPLY[@]}"`;
  const { code, stdout, stderr } = await run("bash", ["-c", script, "bash", file, "tenon", ...words]);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  return stdout.trimEnd().split("\n");
}

test("bash completes commands, groups, flags and their values", async () => {
  const file = await writeScript("bash");
  const first = await completeInBash(file, "");
  for (const word of ["app", "check", "completion", "explain", "info", "migrate", "routes"]) {
    assert.ok(first.includes(word), word);
  }
  assert.deepEqual(await completeInBash(file, "mig"), ["migrate"]);
  assert.deepEqual((await completeInBash(file, "migrate", "")).sort(), ["down", "make", "status", "up"]);
  assert.deepEqual(await completeInBash(file, "completion", ""), ["bash", "zsh", "fish"]);
  assert.deepEqual(await completeInBash(file, "routes", "--a"), ["--audit"]);
  assert.deepEqual(await completeInBash(file, "routes", "--audit", "--in", "=", "x", "--e"), ["--entry="]);
  assert.deepEqual(await completeInBash(file, "app", "--template", "="), ["api", "web", "cli", "full"]);
  assert.deepEqual(await completeInBash(file, "app", "--template", "=", "w"), ["web"]);
  assert.deepEqual(await completeInBash(file, "app", "--template", "f"), ["full"]);
  assert.deepEqual(await completeInBash(file, "explain", "PostsService", "--ent"), ["--entry="]);
});

test("zsh loads the script and registers it", { skip: !isInstalled("zsh") }, async () => {
  const file = await writeScript("zsh");
  const script = `autoload -Uz compinit && compinit -D && source "$1" && print -r -- "\${_comps[tenon]}"`;
  const { code, stdout, stderr } = await run("zsh", ["-f", "-c", script, "zsh", file]);
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "_tenon\n", stderr: "" });
});

test("fish completes commands, flags and their values", { skip: !isInstalled("fish") }, async () => {
  const file = await writeScript("fish");
  const complete = async (line: string) => {
    const script = `source ${file}; complete -C '${line}'`;
    const { code, stdout, stderr } = await run("fish", ["--no-config", "-c", script]);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    return stdout
      .trimEnd()
      .split("\n")
      .map((entry) => entry.split("\t")[0]);
  };
  assert.deepEqual((await complete("tenon migrate ")).sort(), ["down", "make", "status", "up"]);
  assert.deepEqual(await complete("tenon routes --aud"), ["--audit"]);
  assert.deepEqual(await complete("tenon app --template=w"), ["--template=web"]);
  assert.deepEqual(await complete("tenon explain PostsService --ent"), ["--entry"]);
});

test("an unknown shell is refused", async () => {
  const { code, stderr } = await runCommand("completion", "powershell");
  assert.equal(code, 2);
  assert.match(stderr, /^tenon: <shell> must be one of/);
});

test("texts with quotes do not end the strings of a script", async () => {
  const about = "It's $(touch hacked) `touch hacked` \\";
  const flags = [{ name: "in", isSwitch: false, choices: ["it's"], about }];
  const commands: CatalogCommand[] = [{ words: ["say"], choices: new Map(), about, flags }];
  for (const shell of shells.filter(isInstalled)) {
    const file = join(folder, `quotes.${shell}`);
    writeFileSync(file, toCompletionScript(shell, toPlaces(commands)));
    const { code, stderr } = await run(shell, ["-n", file]);
    assert.deepEqual({ shell, code, stderr }, { shell, code: 0, stderr: "" });
  }
});

test("the tool itself gives its routes to the scripts, and describes its groups", async () => {
  const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
  const start = (...words: readonly string[]) => run(process.execPath, ["--conditions=@tenon/source", main, ...words]);
  const { code, stdout, stderr } = await start("completion", "bash");
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  assert.equal(stdout, (await runCommand("completion", "bash")).stdout);
  assert.match((await start("--help")).stdout, /^migrate: The migrations of an application's database$/m);
});
