import { cpus, totalmem } from "node:os";
import { isPinned } from "./cores.ts";
import { connections, loadTool } from "./load.ts";
import { peers, versionOf } from "./peers.ts";

export interface Setting {
  readonly date: string;
  readonly machine: string;
  readonly node: string;
  readonly load: string;
  readonly pinned: boolean;
  readonly versions: Readonly<Record<string, string>>;
}

export function describeSetting(): Setting {
  const [first] = cpus();
  const model = first?.model.replaceAll(/\((?:R|TM)\)/g, "").trim() ?? "unknown processor";
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${model}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${process.arch}`,
    node: process.version,
    load: `${loadTool}, ${connections} connections`,
    pinned: isPinned,
    versions: Object.fromEntries(peers.map((peer) => [peer.name, versionOf(peer)])),
  };
}
