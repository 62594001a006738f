import type { Server, ServerOpts, Socket } from "node:net";
import type { TlsOptions } from "node:tls";

/**
 * Not by `import`, which reads every export of node:http, `WebSocket` included, and so loads all of Node's fetch: a
 * tenth of the start time of a small application. What is not used is not loaded.
 */
export const { STATUS_CODES } = process.getBuiltinModule("node:http");

export function createNetServer(options: ServerOpts, onConnection: (socket: Socket) => void): Server {
  return process.getBuiltinModule("node:net").createServer(options, onConnection);
}

export function createTlsServer(options: TlsOptions & ServerOpts, onConnection: (socket: Socket) => void): Server {
  return process.getBuiltinModule("node:tls").createServer(options, onConnection);
}
