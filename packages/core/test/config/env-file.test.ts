import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readEnvFile } from "../../src/config/env-file.ts";

function withFolder(use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "tenon-env-"));
  try {
    use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("a missing file has no variables", () =>
  withFolder((folder) => assert.deepEqual({ ...readEnvFile(join(folder, ".env")) }, {})));

test("comments, quotes, values of several lines, export and a byte order mark are understood", () =>
  withFolder((folder) => {
    const file = join(folder, ".env");
    const lines = ["\ufeffA=1", "", "# a comment", "export B='two'", 'C="x', 'y"', "D=3 # why", "E=", "  F = `4`"];
    for (const end of ["\n", "\r\n"]) {
      writeFileSync(file, lines.join(end));
      const { C, ...others } = readEnvFile(file);
      assert.deepEqual(others, { A: "1", B: "two", D: "3", E: "", F: "4" });
      assert.match(C ?? "", /^x\r?\ny$/);
    }
  }));

test("a file that cannot be read is reported with its reason", () =>
  withFolder((folder) => {
    mkdirSync(join(folder, ".env"));
    assert.throws(() => readEnvFile(join(folder, ".env")), /\.env cannot be read: EISDIR/);
  }));
