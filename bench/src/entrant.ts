import { checkAnswers } from "./check.ts";
import { load, type Measured } from "./load.ts";
import type { PeerInfo } from "./peers.ts";
import type { Sample } from "./results.ts";
import type { Scenario } from "./scenarios.ts";
import { Server, type ServerOptions } from "./server.ts";
import { median } from "./statistics.ts";

/** V8 has optimized nearly all functions of a server after 30,000 requests (`--trace-opt`). */
const warmRequests = 40_000;

/** A peer and the scenario that it serves. */
export interface Contest {
  readonly peer: PeerInfo;
  readonly scenario: Scenario<string>;
  /** The file from which the load tool reads the scenario's requests. */
  readonly script: string;
}

/** A peer that serves one scenario and is loaded whenever it is its turn. */
export class Entrant {
  readonly #contest: Contest;
  readonly #server: Server;
  readonly #loads: Measured[] = [];
  #processorTime = 0;

  private constructor(contest: Contest, server: Server) {
    this.#contest = contest;
    this.#server = server;
  }

  static async start(contest: Contest, options: ServerOptions): Promise<Entrant> {
    return new Entrant(contest, await Server.start(contest.peer, contest.scenario.name, options));
  }

  get label(): string {
    return this.#contest.peer.label;
  }

  /** Until the code is optimized: that takes a number of requests, and longer on a machine that is not idle. */
  async warmUp({ seconds, check }: { readonly seconds: number; readonly check: boolean }): Promise<void> {
    const { peer, scenario, script } = this.#contest;
    if (check) await this.#tell(checkAnswers(this.#server.port, peer.name, scenario));
    let requests = 0;
    for (let second = 0; second < 5 * seconds; second++) {
      if (second >= seconds && requests >= warmRequests) return;
      requests += (await this.#tell(load(this.#server.port, script, 1))).requests;
    }
  }

  /** One second of it. */
  async load(): Promise<void> {
    const before = this.#server.processorTime;
    this.#loads.push(await this.#tell(load(this.#server.port, this.#contest.script, 1)));
    this.#processorTime += this.#server.processorTime - before;
  }

  sample(round: number): Sample {
    const sum = (read: (measured: Measured) => number) => this.#loads.reduce((total, one) => total + read(one), 0);
    const requests = sum((one) => one.requests);
    // a single second may pass without a response where the machine is busy
    if (requests === 0) throw new Error(`${this.label} in "${this.#contest.scenario.name}" completed no request`);
    return {
      scenario: this.#contest.scenario.name,
      peer: this.#contest.peer.name,
      round,
      perSecond: requests / sum((one) => one.seconds),
      rates: this.#loads.map((one) => Math.round(one.requests / one.seconds)),
      processor: (this.#processorTime / requests) * 1e6,
      p50: median(this.#loads.map(({ p50 }) => p50)),
      p99: median(this.#loads.map(({ p99 }) => p99)),
      resident: this.#server.resident,
    };
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }

  async #tell<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      const { peer, scenario } = this.#contest;
      throw new Error(`${peer.name} in "${scenario.name}": ${(error as Error).message}`, { cause: error });
    }
  }
}
