import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

test("P23 a million unique URLs leave the heap within 16 MB", () => {
  const fixture = fileURLToPath(new URL("../fixtures/million-urls.ts", import.meta.url));
  const output = execFileSync(process.execPath, ["--expose-gc", "--conditions=@tenon/source", fixture], {
    encoding: "utf8",
    timeout: 60_000,
  });
  const growth = Number(output);
  assert.ok(Number.isFinite(growth) && growth <= 16 * 1024 * 1024, `the heap grew by ${output} bytes`);
});
