import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { takeSnapshot } from "../support/take-snapshot.ts";
import { runCommand, runTool } from "../support/tool.ts";

for (const [words, ...before] of [
  [["auth"]],
  [["accounts"], ["auth"]],
  [["resource", "note", "--owner"], ["auth"]],
] as const) {
  test(`tenon g ${words.join(" ")} installs packages first, and changes nothing when that fails`, async () => {
    const folder = temporaryFolder("install");
    const app = join(folder, "shop");
    assert.equal((await runTool(folder, "new", "shop")).code, 0);
    for (const earlier of before) assert.equal((await runTool(app, "g", ...earlier)).code, 0);
    writeFileSync(join(app, ".npmrc"), "registry=http://127.0.0.1:1/\nfetch-retries=0\n"); // nothing listens there
    const snapshot = takeSnapshot(app);
    const { code, stdout, stderr } = await runCommand("g", ...words, `--in=${app}`);
    assert.deepEqual([code, stdout], [1, "running  npm install\n"]);
    assert.match(stderr, /^tenon: npm install failed with exit code \d+: nothing was changed$/m);
    assert.deepEqual(takeSnapshot(app), snapshot);
  });
}
