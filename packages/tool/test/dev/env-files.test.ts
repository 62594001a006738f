import assert from "node:assert/strict";
import { test } from "node:test";
import { readEnvFiles } from "../../src/dev/env-files.ts";
import { createApplication } from "../support/described-app.ts";

const folder = createApplication({ ".env": "A=1\nB=1", "one.env": "B=2\nC=2", "two.env": 'C="3 # 4"' });

test("the variables of .env and of the files in the flags of node are read, later files first", () => {
  assert.deepEqual(readEnvFiles(folder, []), { A: "1", B: "1" });
  const flags = ["--import", "./hook.mjs", "--env-file", "one.env", "--env-file-if-exists=two.env"];
  assert.deepEqual(readEnvFiles(folder, flags), { A: "1", B: "2", C: "3 # 4" });
});

test("files that do not exist have none", () => {
  assert.deepEqual(readEnvFiles(createApplication({}), ["--env-file-if-exists=lost.env", "--env-file"]), {});
});
