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

test("a line that is not an assignment is reported by its number, and its text is not shown", () =>
  withFolder((folder) => {
    const file = join(folder, ".env");
    writeFileSync(file, 'A=1\nhunter2\nB="x\nfree text\n"\n=hunter2\nC="hunter2\nD=1\n');
    const explain = (line: number) =>
      `Line ${line} of ${file} is not an assignment. Write NAME=value, with quotes around a value of several lines.`;
    assert.throws(() => readEnvFile(file), {
      name: "StartError",
      message: `3 problems:\n  1. ${explain(2)}\n  2. ${explain(6)}\n  3. ${explain(7)}`,
    });
  }));

test("a file that cannot be read is reported with its reason", () =>
  withFolder((folder) => {
    mkdirSync(join(folder, ".env"));
    assert.throws(() => readEnvFile(join(folder, ".env")), /\.env cannot be read: EISDIR/);
  }));
