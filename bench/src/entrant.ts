import { checkAnswers } from "./check.ts";
import { load, type Measured } from "./load.ts";
import type { PeerInfo } from "./peers.ts";
import type { Sample } from "./results.ts";
import type { Scenario } from "./scenarios.ts";
import { Server, type ServerOptions } from "./server.ts";
import { median } from "./statistics.ts";

const warmRequests = 100_000;

/** A peer that serves one scenario and is loaded whenever it is its turn. */
export class Entrant {
  readonly #peer: PeerInfo;
  readonly #scenario: Scenario;
  readonly #script: string;
  readonly #server: Server;
  readonly #loads: Measured[] = [];
  #processorTime = 0;

  private constructor(peer: PeerInfo, scenario: Scenario, script: string, server: Server) {
    this.#peer = peer;
    this.#scenario = scenario;
    this.#script = script;
    this.#server = server;
  }

  static async start(peer: PeerInfo, scenario: Scenario, script: string, options: ServerOptions): Promise<Entrant> {
    return new Entrant(peer, scenario, script, await Server.start(peer, scenario.name, options));
  }

  get label(): string {
    return this.#peer.label;
  }

  /** Until the code is compiled as it stays: that takes a number of requests, and longer on a machine that is not idle. */
  async warmUp({ seconds, check }: { readonly seconds: number; readonly check: boolean }): Promise<void> {
    if (check) await this.#tell(checkAnswers(this.#server.port, this.#peer.name, this.#scenario));
    let requests = 0;
    for (let second = 0; second < 5 * seconds; second++) {
      if (second >= seconds && requests >= warmRequests) return;
      requests += (await this.#tell(load(this.#server.port, this.#script, 1))).requests;
    }
  }

  /** One second of it. */
  async load(): Promise<void> {
    const before = this.#server.processorTime;
    this.#loads.push(await this.#tell(load(this.#server.port, this.#script, 1)));
    this.#processorTime += this.#server.processorTime - before;
  }

  sample(round: number): Sample {
    const sum = (read: (measured: Measured) => number) => this.#loads.reduce((total, one) => total + read(one), 0);
    const requests = sum((one) => one.requests);
    const rates = this.#loads.map((one) => Math.round(one.requests / one.seconds));
    return {
      scenario: this.#scenario.name,
      peer: this.#peer.name,
      round,
      perSecond: median(rates),
      rates,
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
      throw new Error(`${this.#peer.name} in "${this.#scenario.name}": ${(error as Error).message}`, { cause: error });
    }
  }
}
