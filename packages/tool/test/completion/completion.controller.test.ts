import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { run } from "../../../../test/support/run.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { runCommand } from "../support/tool.ts";

const folder = temporaryFolder("completion");
const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

before(() => {
  const command = `#!/bin/sh\nexec "${process.execPath}" --conditions=@tenon/source "${main}" "$@"\n`;
  writeFileSync(join(folder, "tenon"), command, { mode: 0o755 });
});

const shells = {
  /** As in a terminal: bash makes a word of its own of each equals sign. */
  bash: `source "$2"
words=($1); [[ "$1" == *' ' ]] && words+=('')
COMP_WORDS=(); for word in "\${words[@]}"; do
  if [[ "$word" == *=* ]]; then COMP_WORDS+=("\${word%%=*}" '='); [[ -n "\${word#*=}" ]] && COMP_WORDS+=("\${word#*=}")
  else COMP_WORDS+=("$word"); fi
done
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _tenon; printf '%s\\n' "\${COMPREPLY[@]}"`,
  /** The completion system runs only in an interactive shell: `compadd` prints instead. */
  zsh: `autoload -Uz compinit && compinit -D && source "$2"
[[ "\${_comps[tenon]}" == _tenon ]] || exit 1
compadd() { while [[ "$1" != -- ]]; do shift; done; shift; [[ -n "$*" ]] && print -rl -- "$@"; return 0; }
words=("\${(@s: :)1}"); CURRENT=\${#words}; _tenon`,
  fish: `source $argv[2]; complete -C $argv[1]`,
} as const;

async function complete(shell: keyof typeof shells, line: string): Promise<string[]> {
  const file = join(folder, `tenon.${shell}`);
  const { code: printed, stdout: text } = await runCommand("completion", shell);
  assert.equal(printed, 0);
  writeFileSync(file, text);
  const script = join(folder, `ask.${shell}`);
  writeFileSync(script, shells[shell]);
  const options = { bash: ["--norc"], zsh: ["-f"], fish: ["--no-config"] }[shell];
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const { code, stdout, stderr } = await run(shell, [...options, script, line, file], { env });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  return stdout
    .trimEnd()
    .split("\n")
    .map((entry) => entry.split("\t")[0] ?? "");
}

for (const shell of ["bash", "zsh", "fish"] as const) {
  const isInstalled = spawnSync(shell, ["--version"]).error === undefined;
  const skip = isInstalled || process.env.REQUIRE_SERVICES === "1" ? false : `${shell} is not installed`;
  const flagValue = (value: string) => (shell === "bash" ? value : `--template=${value}`);

  test(`${shell} completes commands, groups, flags and their values`, { skip }, async () => {
    const ask = (line: string) => complete(shell, line);
    const first = await ask("tenon ");
    for (const word of ["new", "check", "completion", "info", "migrate", "routes"])
      assert.ok(first.includes(word), word);
    assert.ok(!first.includes("complete"));
    assert.deepEqual(await ask("tenon mig"), ["migrate"]);
    assert.deepEqual((await ask("tenon migrate ")).sort(), ["down", "make", "status", "up"]);
    assert.deepEqual((await ask("tenon completion ")).sort(), ["bash", "fish", "zsh"]);
    assert.deepEqual(await ask("tenon routes --a"), ["--audit"]);
    assert.deepEqual(await ask("tenon routes --audit --in=x --e"), ["--entry="]);
    assert.deepEqual((await ask("tenon app --template=")).sort(), ["api", "cli", "full", "web"].map(flagValue));
    assert.deepEqual(await ask("tenon app --template=w"), [flagValue("web")]);
    assert.deepEqual(await ask("tenon app --template f"), ["full"]);
    assert.deepEqual(await ask("tenon explain PostsService --ent"), ["--entry="]);
  });
}

test("an unknown shell is refused", async () => {
  const { code, stderr } = await runCommand("completion", "powershell");
  assert.equal(code, 2);
  assert.match(stderr, /^tenon: <shell> must be one of/);
});
