import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readEnvFile } from "./env-files.ts";

/** Ignored by version control, and removed together with the installed packages. */
const file = "node_modules/.cache/tenon/dev.env";

/** The variables, and the files in which an application may keep its own secret. */
const ownFiles = { SESSION_SECRET: "data/session-secret", JWT_SECRET: "data/jwt-secret" } as const;

type OwnSecrets = Readonly<Record<keyof typeof ownFiles, string>>;

export interface DevSecrets extends OwnSecrets {
  /** By which the application recognises its developer. */
  readonly TENON_DEV_SECRET: string;
}

/**
 * The secrets of an application in development. A random one for each process would end the sessions of open pages and
 * the tokens of clients at every restart, so they are kept for the next `tenon dev` too.
 */
export function readOrCreateSecrets(folder: string): DevSecrets {
  const path = join(folder, file);
  const known = readEnvFile(path);
  const { SESSION_SECRET = createSecret(), JWT_SECRET = createSecret(), TENON_DEV_SECRET = createSecret() } = known;
  const secrets: DevSecrets = { SESSION_SECRET, JWT_SECRET, TENON_DEV_SECRET };
  const lines = Object.entries({ ...known, ...secrets }).map(([name, secret]) => `${name}=${secret}\n`);
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, lines.join(""), { mode: 0o600 });
  } catch {
    // a folder that cannot be written: the secrets last for this run
  }
  return secrets;
}

/** Those that neither the environment nor a file of the application sets. */
export function selectMissing(folder: string, secrets: OwnSecrets, given: NodeJS.Dict<string>): Partial<OwnSecrets> {
  const names = Object.keys(ownFiles) as (keyof OwnSecrets)[]; // of the object above
  const missing = names.filter((name) => !given[name] && !existsSync(join(folder, ownFiles[name])));
  return Object.fromEntries(missing.map((name) => [name, secrets[name]]));
}

function createSecret(): string {
  return randomBytes(32).toString("base64url");
}
