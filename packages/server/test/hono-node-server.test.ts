import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { run } from "../../../test/support/run.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { exceptions } from "./support/hono-node-server/exceptions.ts";

// The behavioural tests of @hono/node-server on serve(). Their code is not part of this repository: HONO_NODE_SERVER names
// a checkout of the version in the README, with its dependencies installed.
const folder = process.env.HONO_NODE_SERVER ?? "";
const skip = folder === "" ? "HONO_NODE_SERVER does not name a checkout of @hono/node-server" : false;

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

test("the tests of @hono/node-server pass, except for those that the README explains", { skip }, async () => {
  const report = join(temporaryFolder("hono-node-server"), "report.json");
  const config = fileURLToPath(new URL("./support/hono-node-server/vitest.config.mjs", import.meta.url));
  const vitest = join(folder, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "--config", config, "--reporter=json", `--outputFile=${report}`];
  const { stderr } = await run(process.execPath, args, { cwd: folder });
  const { testResults }: Report = JSON.parse(await readFile(report, "utf8").catch(() => assert.fail(stderr)));
  const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const rows: string[] = [];
  for (const { name: file, message, assertionResults } of testResults) {
    assert.ok(assertionResults.length > 0, message);
    for (const { fullName, status, failureMessages } of assertionResults) {
      if (status === "skipped") continue; // HTTP/2
      const reason = exceptions.get(fullName);
      if (reason === undefined) assert.equal(status, "passed", `${fullName}\n${failureMessages.join("\n")}`);
      rows.push(
        `| ${file.slice(file.lastIndexOf("/") + 1)} | ${fullName} | ${reason === undefined ? "passes" : `no: ${reason}`} |`,
      );
    }
  }
  const table = [...new Set(rows)].sort().join("\n");
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  assert.ok(readme.includes(`@hono/node-server\` ${version}`), `the README names another version than ${version}`);
  assert.ok(readme.includes(table), `the README needs this table:\n${table}`);
});
