import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runFixture } from "../support/run-fixture.ts";

test(".env of the working directory adds what the environment does not set, except in production and for createTestApp()", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tenon-config-"));
  try {
    writeFileSync(join(folder, ".env"), 'CONFIG_NAME="from the file"\nCONFIG_PORT=1\nLOG_LEVEL=trace\n');
    const run = (variables: Record<string, string>) => runFixture("config.ts", [], variables, folder);
    const [tested, set] = await Promise.all([
      runFixture("test-config.ts", [], {}, folder),
      runFixture("test-config.ts", [], { CONFIG_NAME: "set" }, folder),
    ]);
    assert.equal(tested.stdout, '{"configName":"unnamed"} error\n');
    assert.equal(set.stdout, '{"configName":"set"} error\n');
    const [development, production, bad] = await Promise.all([
      run({ CONFIG_PORT: "2" }),
      run({ NODE_ENV: "production" }),
      run({ CONFIG_PORT: "x" }),
    ]);
    assert.equal(development.stdout, '{"configName":"from the file","configPort":2} trace\n');
    assert.equal(production.stdout, '{"configName":"unnamed","configPort":0} info\n');
    assert.deepEqual([bad.code, bad.stdout], [1, ""]);
    // outside of the folder that holds the docs, with the whole path
    assert.match(
      bad.stderr,
      /^Cannot start: CONFIG_PORT is "x"\. It must be a whole number\. See \/.*\/docs\/errors\.md#bad_environment\n/,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
