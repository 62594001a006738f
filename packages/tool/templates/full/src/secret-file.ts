import { randomBytes, randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** The secret of this machine, in a file that only its owner can read. A new one at each start would end all logins. */
export function readOrCreateSecret(file: string): string {
  mkdirSync(dirname(file), { recursive: true });
  const secret = randomBytes(32).toString("base64url");
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, secret, { mode: 0o600 });
    linkSync(draft, file); // fails when the file exists; another process never reads a part of it
    return secret;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    return readFileSync(file, "utf8").trim();
  } finally {
    rmSync(draft, { force: true });
  }
}
