import type { ServerOptions } from "node:https";

/**
 * Not by `import`: that reads every export, `WebSocket` included, and so loads all of Node's fetch, a tenth of the time
 * that a small application takes to start.
 */
export const { createServer, IncomingMessage, ServerResponse, STATUS_CODES } = process.getBuiltinModule("node:http");

/** Loaded by who serves https, and by nobody else. */
export function createTlsServer<
  Request extends typeof IncomingMessage,
  Response extends typeof ServerResponse<InstanceType<Request>>,
>(options: ServerOptions<Request, Response>) {
  return process.getBuiltinModule("node:https").createServer(options);
}
