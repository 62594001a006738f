import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { readOrCreateSecrets, selectMissing } from "../../src/dev/dev-secrets.ts";

test("secrets are created once", () => {
  const folder = temporaryFolder("secrets");
  const secrets = readOrCreateSecrets(folder);
  assert.ok(secrets.JWT_SECRET.length >= 43 && secrets.SESSION_SECRET !== secrets.JWT_SECRET);
  assert.deepEqual(readOrCreateSecrets(folder), secrets);
});

test("secrets last for one run where they cannot be written", () => {
  const folder = temporaryFolder("secrets");
  writeFiles(folder, { node_modules: "a file" });
  assert.notDeepEqual(readOrCreateSecrets(folder), readOrCreateSecrets(folder));
});

test("a variable that is set, and a secret of the application's own, come first", () => {
  const folder = temporaryFolder("secrets");
  const secrets = { SESSION_SECRET: "s", JWT_SECRET: "j" };
  assert.deepEqual(selectMissing(folder, secrets, { SESSION_SECRET: "" }), secrets);
  assert.deepEqual(selectMissing(folder, secrets, { SESSION_SECRET: "own" }), { JWT_SECRET: "j" });
  writeFiles(folder, { [join("data", "jwt-secret")]: "own" });
  assert.deepEqual(selectMissing(folder, secrets, {}), { SESSION_SECRET: "s" });
});
