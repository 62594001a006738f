import { randomBytes, randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { StartError } from "@tenon/core";

const shortest = 32;

export interface SigningSecret {
  readonly jwtSecret: string;
  readonly warnings: readonly string[];
}

/** The given secret; without one, which only embedded storage allows, the secret next to the SQLite file. */
export function toSigningSecret(given: string | undefined, databaseUrl: string): SigningSecret {
  const file = secretFileFor(databaseUrl);
  const place = file ?? "memory, lost at the next start";
  const jwtSecret = given ?? storeSecret(file, place);
  const warnings: string[] = [];
  if (given === undefined) warnings.push(`JWT_SECRET is not set: tokens are signed with the secret in ${place}`);
  if (Buffer.byteLength(jwtSecret) < shortest) {
    warnings.push(`JWT_SECRET has fewer than ${shortest} bytes and can be guessed`);
  }
  return { jwtSecret, warnings };
}

function storeSecret(file: string | undefined, place: string): string {
  try {
    return readOrCreateSecret(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `JWT_SECRET is not set, and none can be stored in ${place}: ${reason}`;
    throw new StartError([{ code: "BAD_ENVIRONMENT", message }]);
  }
}

/** The secret's file, next to the SQLite file; undefined for a database in memory. */
function secretFileFor(databaseUrl: string): string | undefined {
  const path = databaseUrl.slice("sqlite:".length);
  return path === ":memory:" ? undefined : join(dirname(path), "jwt-secret");
}

/** Creates the secret once, in a file readable by its owner only. */
function readOrCreateSecret(file: string | undefined): string {
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
