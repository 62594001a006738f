import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../packages/core/test/support/random.ts";
import { handshakeOf, readReply } from "./raw-socket.ts";

/** What became of handshakes that were sent at the same time. */
export interface FloodResult {
  /** How many responses had each status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Full handshakes that got no response. */
  readonly silent: number;
}

const patience = 30_000;

/** Many handshakes at once. Some clients disconnect in the middle of one, or before its response. */
export async function floodUpgrades(port: number, count: number, random: Random): Promise<FloodResult> {
  const statuses: Record<number, number> = {};
  const sockets: Socket[] = [];
  let silent = 0;
  await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(port, "127.0.0.1").on("error", () => {});
      sockets.push(socket);
      const head = handshakeOf();
      const kind = random.below(10);
      if (kind > 2) {
        socket.write(head);
        const status = await statusOf(socket);
        if (status === 0) silent++;
        else statuses[status] = (statuses[status] ?? 0) + 1;
      } else {
        const part = kind === 0 ? head : head.slice(0, random.below(head.length));
        await new Promise<void>((resolve) => socket.once("close", resolve).write(part, () => resolve()));
        socket.destroy();
      }
    }),
  );
  for (const socket of sockets) socket.destroy();
  return { statuses, silent };
}

/** Handshakes that are never completed. Milliseconds until the last of them was closed, and the statuses that they got. */
export async function halfHandshakes(port: number, count: number): Promise<{ longest: number; statuses: number[] }> {
  const head = handshakeOf();
  const begun = performance.now();
  const ends = Array.from({ length: count }, async (_, index) => {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    socket.write(head.slice(0, 1 + ((index * 7) % (head.length - 2))));
    const status = await statusOf(socket);
    if (!socket.destroyed) await new Promise((resolve) => socket.once("close", resolve));
    return { status, after: performance.now() - begun };
  });
  const all = await Promise.all(ends);
  return { longest: Math.max(...all.map(({ after }) => after)), statuses: all.map(({ status }) => status) };
}

/** The status of the response; 0 when there is none. */
function statusOf(socket: Socket): Promise<number> {
  return new Promise((resolve) => {
    socket.once("data", (chunk: Buffer) => resolve(readReply(chunk).status));
    socket.once("close", () => resolve(0));
    void sleep(patience, undefined, { ref: false }).then(() => socket.destroy());
  });
}
