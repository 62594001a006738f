import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readOrCreateSecret } from "@tenon/core";

const folder = mkdtempSync(join(tmpdir(), "tenon-secret-"));
after(() => rmSync(folder, { recursive: true }));

test("a secret is created once, in a file that only its owner can read", () => {
  const file = join(folder, "data", "jwt-secret");
  const secret = readOrCreateSecret(file);
  assert.match(secret, /^[\w-]{43}$/);
  assert.equal(readOrCreateSecret(file), secret);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(join(folder, "data")), ["jwt-secret"]);
  assert.notEqual(readOrCreateSecret(join(folder, "data", "session-secret")), secret);
});

test("a secret that a person wrote is used without the end of its line", () => {
  const file = join(folder, "own-secret");
  writeFileSync(file, "a secret of at least 32 characters\n");
  assert.equal(readOrCreateSecret(file), "a secret of at least 32 characters");
});

test("an empty file and a folder that cannot be written are errors", () => {
  const file = join(folder, "empty-secret");
  writeFileSync(file, "\n");
  assert.throws(() => readOrCreateSecret(file), { message: `${file} is empty: remove it` });
  assert.throws(() => readOrCreateSecret(join(file, "secret")), { syscall: "mkdir" });
  assert.throws(() => readOrCreateSecret("/proc/self/secret"), { syscall: "open" });
});
