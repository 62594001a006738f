import type { SharedRedis, SharedStore } from "@tenon/data";
import { type Batch, type EventStore, liveChannel, newSecret, toBatch, type Wake } from "./event-store.ts";
import { LiveEvent } from "./live-event.ts";
import type { BufferLimits } from "./memory-store.ts";
import { formatPosition, type Position, parsePosition } from "./position.ts";

/** Milliseconds for which the last position of a topic is known: longer than its events, so that a quiet topic has no gap. */
const positionTtl = String(7 * 86_400_000);

/** Milliseconds for which the run of Redis is known: to ask for it costs more than to store an event. */
const runTtl = 200;

// one step: what is stored has the next number. Another run of Redis may have lost
// what the run before it had acknowledged, and would give out its numbers again, so it begins a new epoch. Number 1 is
// only for a topic without earlier events: it follows the position of a client that has got none
const appendScript = `local last = redis.call("GET", KEYS[2])
local run = redis.call("GET", KEYS[3])
if not run then
  local info = redis.pcall("INFO", "server")
  run = type(info) == "string" and string.match(info, "run_id:(%w+)") or ""
  redis.call("SET", KEYS[3], run, "PX", ${runTtl})
end
local epoch, number, before
if last then epoch, number, before = string.match(last, "^(%d+)-(%d+) ?(%w*)$") end
if before == run then
  number = tonumber(number) + 1
else
  local time = redis.call("TIME")
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  epoch = string.format("%.0f", math.max(now, tonumber(epoch or 0) + 1))
  number = last and 2 or 1
  redis.call("DEL", KEYS[1])
end
local id = epoch .. "-" .. string.format("%.0f", number)
redis.call("XADD", KEYS[1], "MAXLEN", "~", ARGV[3], id, "name", ARGV[1], "data", ARGV[2])
redis.call("PEXPIRE", KEYS[1], ARGV[4])
redis.call("SET", KEYS[2], id .. " " .. run, "PX", ARGV[5])
return id`;

const readScript = `local last = redis.call("GET", KEYS[2])
last = last and string.match(last, "^[^ ]+")
if ARGV[1] == "" then return { last, {} } end
return { last, redis.call("XRANGE", KEYS[1], "(" .. ARGV[1], "+", "COUNT", ARGV[2]) }`;

/** Events in Redis: a stream for each topic. Messages between instances only wake their subscribers. */
export class RedisStore implements EventStore {
  readonly reach = "instances";
  readonly joinsTransactions = false;
  readonly #shared: SharedStore;
  readonly #redis: SharedRedis;
  readonly #prefix: string;
  readonly #limits: BufferLimits;
  #secret = newSecret();
  #stopListening: (() => void) | undefined;

  constructor(shared: SharedStore, redis: SharedRedis, limits: BufferLimits) {
    this.#shared = shared;
    this.#redis = redis;
    this.#prefix = `${redis.prefix}live`;
    this.#limits = limits;
  }

  async open(): Promise<void> {
    await this.#redis.open();
    await this.#shareSecret();
  }

  get secret(): string {
    return this.#secret;
  }

  /** Redis may have lost it: the first instance that is connected again brings it back. */
  async #shareSecret(): Promise<void> {
    await this.#redis.run(["SET", `${this.#prefix}:secret`, this.#secret, "NX"]);
    this.#secret = String(await this.#redis.run(["GET", `${this.#prefix}:secret`]));
  }

  listen(wake: Wake): void {
    this.#stopListening = this.#shared.listen(liveChannel, (topic) => {
      if (topic === undefined) void this.#shareSecret().catch(() => {}); // again with the next connection
      wake(topic);
    });
  }

  async close(): Promise<void> {
    this.#stopListening?.();
    await this.#redis.close();
  }

  async append(topic: string, name: string, text: string): Promise<void> {
    const { events, seconds } = this.#limits;
    const values = [name, text, String(events), String(seconds * 1000), positionTtl];
    await this.#redis.run(["EVAL", appendScript, "3", ...this.#keysOf(topic), ...values]);
    await this.#shared.notify(liveChannel, topic);
  }

  async read(topic: string, after: Position | undefined, limit: number): Promise<Batch> {
    const from = after === undefined ? "" : formatPosition(after);
    const reply = await this.#redis.run(["EVAL", readScript, "3", ...this.#keysOf(topic), from, String(limit)]);
    const [last, entries] = reply as [string | null, [id: string, fields: string[]][]]; // as the script says
    const events = entries.map(([id, fields]) => {
      const position = parsePosition(id) ?? { epoch: 0, number: 0 };
      return new LiveEvent(topic, fields[1] ?? "", fields[3] ?? "null", position);
    });
    return toBatch(parsePosition(last ?? ""), after, events);
  }

  /** In one slot of a cluster. */
  #keysOf(topic: string): [events: string, position: string, run: string] {
    const key = `${this.#prefix}:{${topic}}`;
    return [`${key}:events`, `${key}:last`, `${key}:run`];
  }
}
