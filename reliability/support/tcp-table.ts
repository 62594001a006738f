import { readFileSync } from "node:fs";

export interface TcpEntry {
  /** The server has not closed it. */
  readonly open: boolean;
  /** The server's process still has the socket. It may have closed its sending side. */
  readonly held: boolean;
  /** Bytes that the client's system has not acknowledged yet. */
  readonly unsent: number;
}

/** A server's connections by the client's port, as the system sees them: a client that never reads gets no event. */
export function connectionsOf(serverPort: number): ReadonlyMap<number, TcpEntry> {
  const portOf = (address = "") => Number.parseInt(address.split(":")[1] ?? "", 16);
  const entries = readFileSync("/proc/net/tcp", "utf8").trim().split("\n").slice(1);
  return new Map(
    entries.flatMap((line): [number, TcpEntry][] => {
      const [, local, remote, state, queues = "", , , , , inode] = line.trim().split(/\s+/);
      if (portOf(local) !== serverPort) return [];
      return [[portOf(remote), { open: state === "01", held: inode !== "0", unsent: Number.parseInt(queues, 16) }]];
    }),
  );
}
