export { type CliOptions, cli } from "../platform/cli.ts";
export type { CliMethods } from "./door.ts";
export type { CommandStreams, TerminalStream } from "./terminal.ts";
