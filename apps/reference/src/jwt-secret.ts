import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { readOrCreateSecret, StartError } from "@tenon/core";

export interface SigningSecret {
  readonly jwtSecret: string;
  readonly warnings: readonly string[];
}

/** The given secret; without one, which only embedded storage allows, the secret next to the SQLite file. */
export function toSigningSecret(given: string | undefined, databaseUrl: string): SigningSecret {
  const file = secretFileFor(databaseUrl);
  const place = file ?? "memory, lost at the next start";
  const jwtSecret = given ?? storeSecret(file, place);
  const isKept = given === undefined;
  return {
    jwtSecret,
    warnings: isKept ? [`JWT_SECRET is not set: tokens are signed with the secret in ${place}`] : [],
  };
}

function storeSecret(file: string | undefined, place: string): string {
  try {
    return file === undefined ? randomBytes(32).toString("base64url") : readOrCreateSecret(file);
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
