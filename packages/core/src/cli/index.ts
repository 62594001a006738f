export { type CliOptions, cli } from "./cli.ts";
export type { CliMethods } from "./cli-methods.ts";
export type { CommandStreams, TerminalStream } from "./terminal.ts";
