import type { ServerOptions } from "node:https";

/**
 * Not by `import`: that reads every export, `WebSocket` included, and so loads all of Node's fetch, a tenth of the time
 * that a small application takes to start.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule("node:http");

/** Loaded by who serves https, and by nobody else. */
export function createTlsServer(options: ServerOptions) {
  return process.getBuiltinModule("node:https").createServer(options);
}
