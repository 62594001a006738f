import { parseArgs } from "node:util";

export interface Config {
  readonly port: number;
  readonly host: string;
}

const { values: flags } = parseArgs({ options: { port: { type: "string" }, host: { type: "string" } } });

/** Flags win over the environment: `npm start -- --port=3000`, or PORT=3000. */
export const config: Config = {
  port: toPort(flags.port || process.env.PORT || "8080"),
  host: flags.host || process.env.HOST || "127.0.0.1",
};

function toPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new Error(`the port is "${text}". It takes a number from 0 to 65535.`);
  return port;
}
