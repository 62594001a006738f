import { randomBytes, randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Beside the SQLite file; undefined for a database in memory. */
export function secretFileFor(databaseUrl: string): string | undefined {
  const path = databaseUrl.slice("sqlite:".length);
  return path === ":memory:" ? undefined : join(dirname(path), "jwt-secret");
}

/** Made once and kept for its owner alone. */
export function readOrCreateSecret(file: string | undefined): string {
  const secret = randomBytes(32).toString("base64url");
  if (file === undefined) return secret;
  mkdirSync(dirname(file), { recursive: true });
  // of two instances that start together one makes it, and the other never reads half of it
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, secret, { mode: 0o600 });
    linkSync(draft, file);
    return secret;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    const kept = readFileSync(file, "utf8");
    if (kept.trim() === "") throw new Error("the file is empty, remove it");
    return kept;
  } finally {
    rmSync(draft, { force: true });
  }
}
