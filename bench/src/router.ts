import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { endWithUs } from "./children.ts";
import { pinned } from "./cores.ts";
import { packageVersion } from "./peers.ts";
import { Progress } from "./progress.ts";
import type { RouterResult } from "./router-child.ts";
import { lookUps, routerSizes } from "./router-routes.ts";
import { routers } from "./routers.ts";
import { toTable } from "./table.ts";

export type RouterResults = Readonly<Record<string, RouterResult>>;

const timeout = 300_000;

export async function measureRouters(): Promise<RouterResults> {
  const progress = new Progress(routers.length);
  const results: Record<string, RouterResult> = {};
  for (const { name } of routers) {
    progress.show("routers", name);
    results[name] = await measureRouter(name, routerSizes);
    progress.step();
  }
  progress.end();
  return results;
}

/** In its own process, where no other router has influenced V8's optimizations. */
export function measureRouter(name: string, sizes: readonly number[]): Promise<RouterResult> {
  const script = fileURLToPath(new URL("./router-child.ts", import.meta.url));
  const [command, ...args] = pinned("server", [
    process.execPath,
    "--conditions=@tenon/source",
    script,
    name,
    ...sizes.map(String),
  ]);
  return new Promise((resolve, reject) => {
    const child = endWithUs(spawn(command, args, { stdio: ["ignore", "pipe", "inherit"], timeout }));
    let text = "";
    child.stdout.on("data", (chunk) => (text += String(chunk)));
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(JSON.parse(text));
      else reject(new Error(`the router ${name} ended with ${code}`));
    });
  });
}

/** How many times as long a look-up takes among 10,000 routes as among 10, over all kinds that no cache resolves. */
export function growthOf({ look }: RouterResult): number {
  const kinds = lookUps.filter((kind) => kind !== "again");
  const total = (size: number) => kinds.reduce((sum, kind) => sum + (look[size]?.[kind] ?? Number.NaN), 0);
  return total(10_000) / total(10);
}

export function toRouterTables(results: RouterResults): string {
  const label = (name: string) => {
    const info = routers.find((router) => router.name === name);
    return info === undefined ? name : `${name} ${packageVersion(info.package)}`;
  };
  const looks = routerSizes.map((size) => {
    const rows = Object.entries(results).map(([name, { look }]) => [
      label(name),
      ...lookUps.map((kind) => look[size]?.[kind]?.toFixed(0) ?? "–"),
    ]);
    return `${size.toLocaleString("en")} routes, nanoseconds for a look-up\n${toTable(["", ...lookUps], rows)}`;
  });
  const builds = Object.entries(results).map(([name, { build }]) => [
    label(name),
    ...routerSizes.map((size) => build[size]?.toFixed(1) ?? "–"),
  ]);
  const head = ["", ...routerSizes.map((size) => size.toLocaleString("en"))];
  return [...looks, `milliseconds to build\n${toTable(head, builds)}`].join("\n\n");
}
