import type { ServerOptions } from "node:https";

/**
 * Not by `import`, which reads every export, `WebSocket` included, and so loads all of Node's fetch: a tenth of the
 * start time of a small application.
 */
export const { createServer, IncomingMessage, ServerResponse, STATUS_CODES } = process.getBuiltinModule("node:http");

/** Loaded only to serve https. */
export function createTlsServer<
  Request extends typeof IncomingMessage,
  Response extends typeof ServerResponse<InstanceType<Request>>,
>(options: ServerOptions<Request, Response>) {
  return process.getBuiltinModule("node:https").createServer(options);
}
