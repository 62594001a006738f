import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * A random secret that is created once and kept in a file which only its owner can read. For development: a new secret at
 * each start would end all logins.
 */
export function readOrCreateSecret(file: string): string {
  mkdirSync(dirname(file), { recursive: true });
  const secret = randomBytes(32).toString("base64url");
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, secret, { mode: 0o600 });
    linkSync(draft, file); // fails when the file exists; no other process reads a part of it
    return secret;
  } catch (error) {
    if (!existsSync(file)) throw error;
    const existing = readFileSync(file, "utf8").trim();
    if (existing === "") throw new Error(`${file} is empty: remove it`);
    return existing;
  } finally {
    rmSync(draft, { force: true });
  }
}
