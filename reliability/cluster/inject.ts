import { setTimeout as sleep } from "node:timers/promises";
import { type Cluster, statementTimeout } from "./cluster.ts";
import type { Fault, Instance, Link, Role } from "./faults.ts";
import type { Heal } from "./network.ts";
import { httpPort, poolerPort, postgresPort, redisPort } from "./ports.ts";
import { until } from "./until.ts";

const delay = 300;
const loss = 0.1;
const restarted = {
  "kill of the pooler": "pooler",
  "kill of the database proxy": "proxy",
  "kill of the HTTP proxy": "front",
  "redis restart": "redis",
} as const;

/** Called with an instance that is not healthy from now on, or is healthy again: it is not expected to respond. */
export type OnHarm = (instance: Instance, isHarmed: boolean) => void;

/** Makes the fault happen and repairs what it has broken: afterwards every party runs. */
export async function inject(cluster: Cluster, fault: Fault, onHarm: OnHarm): Promise<void> {
  const { instances } = cluster;
  const harmed = async (names: readonly Instance[], body: () => Promise<void>) => {
    for (const name of names) onHarm(name, true);
    await body();
    for (const name of names) onHarm(name, false);
  };
  switch (fault.kind) {
    case "kill of an instance":
      return harmed([fault.instance], async () => {
        await instances[fault.instance].kill();
        await sleep(fault.milliseconds);
        await instances[fault.instance].start();
      });
    case "kill of a worker":
      return harmed([fault.instance], async () => {
        instances[fault.instance].killWorker(fault.milliseconds % 2);
        await sleep(fault.milliseconds);
        await until(`instance ${fault.instance} has its workers`, () => instances[fault.instance].hasWorkers);
      });
    case "clock an hour ahead":
      return harmed([fault.instance], async () => {
        await instances[fault.instance].stop();
        await instances[fault.instance].start("+1h");
        await sleep(2 * fault.milliseconds);
        await instances[fault.instance].stop();
        await instances[fault.instance].start();
      });
    case "rolling deployment":
      for (const instance of Object.values(instances)) {
        await harmed([instance.name as Instance], async () => {
          await instance.stop();
          await instance.start();
        });
        await sleep(1000); // HAProxy has seen that it is ready
      }
      return;
    case "kill of the primary":
      await cluster.primary.kill();
      await sleep(fault.milliseconds);
      return cluster.primary.start();
    case "kill of the replica":
      await cluster.replica.kill();
      await sleep(fault.milliseconds);
      return cluster.replica.start();
    case "kill of the pooler":
    case "kill of the database proxy":
    case "kill of the HTTP proxy":
    case "redis restart":
      await cluster.killMiddle(restarted[fault.kind]);
      await sleep(fault.milliseconds);
      return cluster.startMiddle(restarted[fault.kind]);
    case "failover, killed primary":
      await cluster.primary.kill();
      await cluster.promote();
      await sleep(fault.milliseconds);
      return cluster.rebuildReplica();
    case "failover, primary without its replica": {
      // writes wait for the replica until their timeout; what the primary has committed alone is lost with it
      const heal = await cluster.network.cut(cluster.primary.name, cluster.replica.name);
      await sleep(2 * statementTimeout + fault.milliseconds);
      await cluster.primary.kill();
      await heal();
      await cluster.promote();
      return cluster.rebuildReplica();
    }
    case "failover, cut-off primary": {
      const heal = await cluster.network.isolate(cluster.primary.name);
      await sleep(fault.milliseconds);
      await cluster.promote();
      await sleep(fault.milliseconds);
      await cluster.replica.kill(); // before the network is back: it would still call itself the primary
      await heal();
      return cluster.rebuildReplica();
    }
    case "cut":
    case "cut in one direction":
    case "slow link":
    case "lossy link":
      return harmed(fault.link.filter(isInstance), async () => {
        const heal = await breakLink(cluster, fault.kind, fault.link);
        await sleep(fault.milliseconds);
        await heal();
      });
  }
}

function isInstance(role: Role): role is Instance {
  return role === "a" || role === "b" || role === "c";
}

function breakLink(cluster: Cluster, kind: Fault["kind"], link: Link): Promise<Heal> {
  const toName = (role: Role) => (role === "primary" || role === "replica" ? cluster[role].name : role);
  const [from, to] = [toName(link[0]), toName(link[1])];
  if (kind === "cut") return cluster.network.cut(from, to);
  if (kind === "cut in one direction") return cluster.network.cutOneWay(from, to);
  if (kind === "lossy link") return cluster.network.lossy(from, to, loss);
  return cluster.network.slow(from, to, portOf(link[1]), delay);
}

function portOf(role: Role): number {
  if (isInstance(role)) return httpPort;
  if (role === "redis") return redisPort;
  return role === "pooler" ? poolerPort : postgresPort; // nothing connects to the HTTP proxy but the harness
}
