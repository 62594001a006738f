import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";

export interface Address {
  readonly port: number;
  readonly host: string;
}

/** The address to listen on. Flags take precedence over the environment: `npm start -- --port=3000`, or PORT=3000. */
export function readAddress(defaultPort: number): Address {
  try {
    const { values: flags } = parseArgs({ options: { port: { type: "string" }, host: { type: "string" } } });
    return {
      port: toPort(flags.port || process.env.PORT || String(defaultPort)),
      host: flags.host || process.env.HOST || "127.0.0.1",
    };
  } catch (error) {
    process.stderr.write(`Cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

function toPort(text: string): number {
  if (/^\d+$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new Error(`the port is "${text}". It takes a number from 0 to 65535.`);
}

/** Signs the cookies. In development it is random: after a restart, forms that are still open have expired. */
export function readSessionSecret(): string {
  const secret = process.env.SESSION_SECRET ?? "";
  if (secret !== "") return secret;
  if (process.env.NODE_ENV !== "production") return randomBytes(32).toString("base64url");
  throw new Error("SESSION_SECRET is not set. It takes at least 32 random bytes: openssl rand -base64 32");
}
