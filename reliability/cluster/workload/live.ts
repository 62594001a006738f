import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "./client.ts";
import { type PartLoad, pickUrl, repeat, type Setting } from "./setting.ts";

const lanes = ["a", "b"];
const subscribers = 4;
/** Milliseconds without a byte after which a connection is given up: there is a heartbeat every 15 s. */
const silence = 35_000;
/** The longest time that a connection lasts, and that between two, in milliseconds. */
const stay = 20_000;
const away = 500;
const patience = 60_000;

/** CL5: each lane publishes numbered events one after the other; subscribers by the public entry resume when they are cut. */
export function startLive(setting: Setting): PartLoad {
  const client = new Client("publisher", setting.history);
  const numbers = new Map<string, number>();

  async function publish(lane: string): Promise<number | undefined> {
    const number = (numbers.get(lane) ?? 0) + 1;
    numbers.set(lane, number);
    const asked = { method: "POST", path: "/cluster/marks", json: { lane, number } };
    const { status } = await client.run("publish", { lane, number }, pickUrl(setting), asked);
    return status === 201 ? number : undefined;
  }

  const list = Array.from({ length: subscribers }, (_, index) => new LiveSubscriber(`s${index}`, setting));
  return {
    ended: Promise.all(lanes.map((lane) => repeat(setting, 500, () => publish(lane)))),
    /** Until all have got the last event of each lane. Again, because a reset may stand for it. */
    verify: async () => {
      const deadline = Date.now() + patience;
      for (let areComplete = false; !areComplete && Date.now() < deadline; ) {
        const last = await Promise.all(lanes.map(async (lane) => [lane, await publish(lane)] as const));
        const haveAll = () => list.every(({ seen }) => last.every(([lane, number]) => seen.get(lane) === number));
        const round = Date.now() + 5000;
        while (!haveAll() && Date.now() < round) await sleep(100);
        areComplete = haveAll();
      }
      await Promise.all(list.map((subscriber) => subscriber.stop()));
    },
  };
}

/** Leaves at times, or is cut off, and resumes after the last event that it got. */
class LiveSubscriber {
  /** The latest number of each lane. */
  readonly seen = new Map<string, number>();
  readonly #name: string;
  readonly #setting: Setting;
  readonly #leaving = new AbortController();
  readonly #ended: Promise<void>;
  #id = "";
  #connection = 0;

  constructor(name: string, setting: Setting) {
    this.#name = name;
    this.#setting = setting;
    this.#ended = this.#run();
  }

  async stop(): Promise<void> {
    this.#leaving.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      this.#connection++;
      await this.#connect();
      await sleep(100 + this.#setting.random.below(away), undefined, { signal }).catch(() => {});
    }
  }

  /** Resolves when the connection has ended. */
  #connect(): Promise<void> {
    const headers = this.#id === "" ? {} : { "last-event-id": this.#id };
    const connection = this.#connection;
    let isPlaced = false;
    return new Promise((resolve) => {
      const { signal } = this.#leaving;
      const request = get(`${this.#setting.url}/cluster/live`, { agent: false, headers, signal }, (response) => {
        if (response.statusCode !== 200) {
          request.destroy();
          return;
        }
        let rest = "";
        response.setEncoding("utf8").on("error", () => {});
        response.on("data", (text: string) => {
          const blocks = `${rest}${text}`.split("\n\n");
          rest = blocks.pop() ?? "";
          for (const block of blocks) {
            const message = parseBlock(block);
            if (message === undefined) continue;
            this.#id = message.id;
            if (!isPlaced) this.#note("subscribe", connection);
            isPlaced = true;
            this.#take(message, connection);
          }
        });
      });
      request.setTimeout(silence, () => request.destroy());
      const timer = setTimeout(() => request.destroy(), this.#setting.random.below(stay));
      request
        .on("error", () => {})
        .once("close", () => {
          clearTimeout(timer);
          resolve();
        });
    });
  }

  #take({ event, data }: Message, connection: number): void {
    if (event === "reset") this.#note("reset", connection);
    if (event !== "mark" || data === undefined) return;
    const { lane, number } = JSON.parse(data) as { lane: string; number: number }; // as the fixture declares it
    this.#note("event", connection, { lane, number });
    this.seen.set(lane, Math.max(number, this.seen.get(lane) ?? 0));
  }

  #note(op: string, connection: number, values: Readonly<Record<string, string | number>> = {}): void {
    this.#setting.history.note(op, this.#name, { subscriber: this.#name, connection, ...values });
  }
}

interface Message {
  readonly id: string;
  readonly event: string | undefined;
  readonly data: string | undefined;
}

/** Undefined for a block that does not move the subscriber: a heartbeat, or the reason for an end. */
function parseBlock(block: string): Message | undefined {
  const fieldOf = (name: string) => new RegExp(`^${name}: ?(.*)$`, "m").exec(block)?.[1];
  const id = fieldOf("id");
  return id === undefined ? undefined : { id, event: fieldOf("event"), data: fieldOf("data") };
}
