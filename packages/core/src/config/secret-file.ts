import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * A random secret that is created once and kept in a file which only its owner can read. For development: a new secret at
 * each start would end all logins.
 */
export function readOrCreateSecret(file: string): string {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, randomBytes(32).toString("base64url"), { mode: 0o600 });
    linkSync(draft, file); // fails when the file exists; no other process reads a part of it
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const secret = readFileSync(file, "utf8").trim();
  if (secret === "") throw new Error(`${file} is empty: remove it`);
  return secret;
}
