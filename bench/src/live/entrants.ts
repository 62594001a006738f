export const partNames = ["echo", "fan-out", "sse"] as const;
export type PartName = (typeof partNames)[number];
/** Without entrants: `publish()` beside itself, at another time. */
export const livePartNames = [...partNames, "publish"] as const;
export type LivePartName = (typeof livePartNames)[number];

/** A server of live connections, in one part of the measurement. */
export interface Entrant {
  readonly name: string;
  readonly label: string;
  readonly part: PartName;
  /** The file that serves it. */
  readonly server: "tenon" | "bare-ws" | "socket-io" | "bare-sse";
  readonly protocol: Protocol;
  /** The path of its connections. */
  readonly path: string;
}

/** How the messages of a server are written. */
export type Protocol = "json" | "raw" | "socket.io" | "sse";

const tenon = { label: "Tenon", server: "tenon" } as const;
const json = { protocol: "json", path: "/socket" } as const;
const socketIo = {
  label: "Socket.IO",
  server: "socket-io",
  protocol: "socket.io",
  path: "/socket.io/?EIO=4&transport=websocket",
} as const;

/** The first one of each part is what the others are compared with. */
export const entrants: readonly Entrant[] = [
  { name: "echo-ws", label: "ws, JSON parsed and checked by hand", part: "echo", server: "bare-ws", ...json },
  { name: "echo-tenon", part: "echo", ...tenon, ...json },
  { name: "echo-raw", label: "ws, bytes sent back", part: "echo", server: "bare-ws", protocol: "raw", path: "/raw" },
  { name: "echo-socket-io", part: "echo", ...socketIo },
  { name: "fan-out-ws", label: "ws, a loop over its clients", part: "fan-out", server: "bare-ws", ...json },
  { name: "fan-out-tenon", part: "fan-out", ...tenon, ...json },
  { name: "fan-out-socket-io", part: "fan-out", ...socketIo },
  { name: "sse-http", label: "node:http, by hand", part: "sse", server: "bare-sse", protocol: "sse", path: "/events" },
  { name: "sse-tenon", part: "sse", ...tenon, protocol: "sse", path: "/events" },
];

export function entrantOf(name: string): Entrant {
  const found = entrants.find((entrant) => entrant.name === name);
  if (found === undefined) throw new Error(`there is no entrant ${name}`);
  return found;
}

/** The text of every message. */
export const text = "the quick brown fox jumps over the lazy dog";
