export { type CliOptions, cli } from "./cli.ts";
export type { CliApp } from "./cli-app.ts";
export type { CommandStreams } from "./terminal.ts";
