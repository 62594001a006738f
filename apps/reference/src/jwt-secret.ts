import { randomBytes, randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The secret's file, next to the SQLite file; undefined for a database in memory. */
export function secretFileFor(databaseUrl: string): string | undefined {
  const path = databaseUrl.slice("sqlite:".length);
  return path === ":memory:" ? undefined : join(dirname(path), "jwt-secret");
}

/** Creates the secret once, in a file readable by its owner only. */
export function readOrCreateSecret(file: string | undefined): string {
  const secret = randomBytes(32).toString("base64url");
  if (file === undefined) return secret;
  mkdirSync(dirname(file), { recursive: true });
  // linked when complete: of two instances that start together one creates it, and the other never reads a partial one
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, secret, { mode: 0o600 });
    linkSync(draft, file);
    return secret;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    const existing = readFileSync(file, "utf8");
    if (existing.trim() === "") throw new Error("the file is empty, remove it");
    return existing;
  } finally {
    rmSync(draft, { force: true });
  }
}
