import type { Server, Socket } from "node:net";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { endsWithin } from "../body/ends-within.ts";
import type { ConnectionParts, WireConnection } from "./connection.ts";

const stallCheck = 400;
const followUpTurns = 20; // of ten milliseconds

/**
 * Stops a server: no new connections, responses for complete requests, the rest is closed at the timeout. `handshakes`
 * are the sockets that have not finished their TLS handshake.
 */
export async function shutDown(server: Server, parts: ConnectionParts, handshakes: Iterable<Socket>): Promise<void> {
  const { connections, exchange } = parts;
  const upgraded = exchange.upgrades.open;
  const { limits, log } = exchange.options;
  const sockets = () => [...connections.keys(), ...upgraded.keys()];
  exchange.stopping = true; // from now on every response closes its connection
  const resume = await acceptWaiting(server, sockets);
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  resume();
  await turn();
  await turn();
  exchange.endStreams();
  for (const socket of handshakes) socket.destroy();
  for (const connection of connections.values()) {
    if (connection.idle) connection.socket.destroy();
    // a response that has not begun will say `Connection: close`; one whose head is sent cannot
    else if (!connection.finished && connection.wire.headersSent && !connection.wire.hasWaiting)
      connection.wire.closing = true;
  }
  // a busy client may have sent its next request: the response says `Connection: close`, so that it sends no more
  const isWaiting = (connection: WireConnection) => connection.finished && !connection.socket.destroyed;
  for (let turns = 0; turns < followUpTurns && [...connections.values()].some(isWaiting); turns++) await sleep(10);
  for (const connection of connections.values()) if (connection.finished) connection.socket.destroy();
  const giveUpStalledBodies = () => {
    for (const { message } of connections.values()) message?.body?.giveUpStalled();
  };
  giveUpStalledBodies(); // the first call only notes the progress of each
  // after sockets are read: what arrived while the process was busy is progress
  const stalled = setInterval(() => setImmediate(giveUpStalledBodies), stallCheck);
  if (!(await endsWithin(closed, limits.stopTimeout))) {
    const requests = [...connections.values()]
      .filter(({ finished, message }) => !finished && message?.path) // a refused request has none
      .map(({ message }) => `${message?.method} ${message?.path}`);
    log.warn(
      { connections: connections.size + upgraded.size, requests: requests.slice(0, 10) },
      "the stop timed out: connections of running requests are closed",
    );
    for (const socket of sockets()) socket.destroy();
    await closed;
  }
  clearInterval(stalled);
}

/** As many as the backlog holds: a steady stream of new connections must not keep the listener open. */
const mostWaiting = 511;

/**
 * Connections that wait in the backlog when the stop begins are accepted: closing the listener would reset them. The
 * event loop accepts one in each round, so two rounds without a new one mean that the backlog is empty. Nothing is read
 * meanwhile, because a round that serves requests takes long. Returns a function that resumes reading.
 */
async function acceptWaiting(server: Server, sockets: () => readonly Socket[]): Promise<() => void> {
  let quiet = 0;
  const count = () => {
    quiet = 0;
  };
  server.on("connection", count);
  const paused: Socket[] = [];
  for (let round = 0; quiet < 2 && round < mostWaiting; round++) {
    for (const socket of sockets()) if (!socket.isPaused()) paused.push(socket.pause());
    quiet++;
    await turn();
  }
  server.off("connection", count);
  return () => {
    for (const socket of paused) socket.resume();
  };
}
