import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { Relay } from "./relay.ts";

const run = promisify(execFile);

/** Ends a fault of the network. */
export type Heal = () => Promise<void>;

/** The last byte of the harness's own address. */
const harness = 254;

/**
 * A network on this machine: one bridge, and a network namespace with an address for each party. The harness has an
 * address on the bridge itself. Names carry the id of the process, so that two runs do not meet.
 */
export class Network {
  readonly #prefix = `t${process.pid}`;
  readonly #parties: readonly string[];
  readonly #subnet: string;
  readonly #cleaner: ChildProcess;
  #isClosed = false;

  private constructor(parties: readonly string[], folder: string) {
    this.#parties = parties;
    this.#subnet = freeSubnet();
    const namespaces = parties.map((party) => this.#namespace(party)).join(" ");
    // It waits for the end of its input: that comes with close(), and with any other end of this process. In a session of
    // its own, because Ctrl-C in a terminal is sent to all processes.
    const script = `cat > /dev/null
      for name in ${namespaces}; do ip netns pids $name | xargs -r kill -9; done
      for name in ${namespaces}; do ip netns del $name; done
      ip link del ${this.#prefix}
      rm -rf ${folder}`;
    this.#cleaner = spawn("sh", ["-c", script], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  }

  /** With a namespace for each party. `folder`, which holds their files, is removed at its end. */
  static async create(parties: readonly string[], folder: string): Promise<Network> {
    const network = new Network(parties, folder);
    try {
      await network.#open();
      return network;
    } catch (error) {
      await network.close();
      throw error;
    }
  }

  get harness(): string {
    return `${this.#subnet}.${harness}`;
  }

  address(party: string): string {
    return `${this.#subnet}.${this.#indexOf(party) + 1}`;
  }

  /** The command that runs another one as this party. */
  enter(party: string): string[] {
    return ["ip", "netns", "exec", this.#namespace(party)];
  }

  /** Drops all packets from one party to the other. */
  cutOneWay(from: string, to: string): Promise<Heal> {
    return this.#rule(from, "OUTPUT", "-d", this.address(to), "-j", "DROP");
  }

  cut(one: string, other: string): Promise<Heal> {
    return both(this.cutOneWay(one, other), this.cutOneWay(other, one));
  }

  /** Cuts a party off from all others. */
  isolate(party: string): Promise<Heal> {
    return both(
      this.#rule(party, "OUTPUT", "-d", `${this.#subnet}.0/24`, "-j", "DROP"),
      this.#rule(party, "INPUT", "-s", `${this.#subnet}.0/24`, "-j", "DROP"),
    );
  }

  /** Loses a part of all packets between two parties. */
  lossy(one: string, other: string, part: number): Promise<Heal> {
    const loss = ["-m", "statistic", "--mode", "random", "--probability", String(part), "-j", "DROP"];
    return both(
      this.#rule(one, "OUTPUT", "-d", this.address(other), ...loss),
      this.#rule(other, "OUTPUT", "-d", this.address(one), ...loss),
    );
  }

  /**
   * Delays what is sent over TCP to a port of another party, and its replies. Open connections are reset, at the end too:
   * a relay carries those that are opened meanwhile. (A kernel without netem cannot delay packets.)
   */
  async slow(from: string, to: string, port: number, milliseconds: number): Promise<Heal> {
    const relay = await Relay.start(this.harness, { host: this.address(to), port }, milliseconds);
    const heal = await this.#rule(
      from,
      ...["OUTPUT", "-p", "tcp", "-d", this.address(to), "--dport", String(port)],
      ...["-j", "DNAT", "--to-destination", `${this.harness}:${relay.port}`],
    );
    await this.#in(from, "ss", "-K", "dst", this.address(to), "dport", "=", `:${port}`);
    return async () => {
      await heal();
      relay.close();
    };
  }

  /** Ends all processes of all parties, and removes the network. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const exit = once(this.#cleaner, "exit");
    this.#cleaner.stdin?.end();
    await exit;
  }

  async #open(): Promise<void> {
    const bridge = this.#prefix;
    await run("ip", ["link", "add", bridge, "type", "bridge"]);
    await run("ip", ["addr", "add", `${this.harness}/24`, "dev", bridge]);
    await run("ip", ["link", "set", bridge, "up"]);
    for (const party of this.#parties) {
      const [inside, outside] = ["eth0", `${bridge}-${this.#indexOf(party)}`];
      await run("ip", ["netns", "add", this.#namespace(party)]);
      await run("ip", ["link", "add", outside, "type", "veth", "peer", inside, "netns", this.#namespace(party)]);
      await run("ip", ["link", "set", outside, "master", bridge, "up"]);
      await this.#in(party, "ip", "addr", "add", `${this.address(party)}/24`, "dev", inside);
      await this.#in(party, "ip", "link", "set", inside, "up");
      await this.#in(party, "ip", "link", "set", "lo", "up");
    }
  }

  /** Adds a rule of iptables. */
  async #rule(party: string, chain: string, ...rule: readonly string[]): Promise<Heal> {
    const table = rule.includes("DNAT") ? "nat" : "filter";
    await this.#in(party, "iptables", "-w", "-t", table, "-A", chain, ...rule);
    return () => this.#in(party, "iptables", "-w", "-t", table, "-D", chain, ...rule);
  }

  async #in(party: string, ...command: readonly string[]): Promise<void> {
    const [file = "", ...args] = [...this.enter(party), ...command];
    await run(file, args);
  }

  #namespace(party: string): string {
    return `${this.#prefix}-${party}`;
  }

  #indexOf(party: string): number {
    const index = this.#parties.indexOf(party);
    if (index < 0) throw new Error(`the network has no party ${party}`);
    return index;
  }
}

async function both(first: Promise<Heal>, second: Promise<Heal>): Promise<Heal> {
  const heals = await Promise.all([first, second]);
  return async () => {
    await Promise.all(heals.map((heal) => heal()));
  };
}

/** The first three bytes of a /24 of which no interface has an address. */
function freeSubnet(): string {
  const taken = execFileSync("ip", ["-o", "-4", "addr"], { encoding: "utf8" });
  for (let offset = 0; offset < 250; offset++) {
    const subnet = `10.77.${(process.pid + offset) % 250}`;
    if (!taken.includes(` ${subnet}.`)) return subnet;
  }
  throw new Error("10.77.0.0/16 has no free subnet");
}
