import type { SharedRedis, SharedStore } from "@tenon/data";
import { type Asked, type Batch, type EventStore, liveChannel, newSecret, toBatch, type Wake } from "./event-store.ts";
import { LiveEvent } from "./live-event.ts";
import type { BufferLimits } from "./memory-store.ts";
import { formatPosition, parsePosition } from "./position.ts";

/** Milliseconds for which the last position of a topic is known: longer than its events, so that a quiet topic has no gap. */
const positionTtl = String(7 * 86_400_000);

/** Milliseconds for which the run of Redis is known: to ask for it costs more than to store an event. */
const runTtl = 200;

// `emptyEpoch()` is the epoch of topics without events. Another run of Redis may have lost what the run before it had
// acknowledged, so it gets another one, and so does a Redis that has lost its data
const functions = `local function now()
  local time = redis.call("TIME")
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function emptyEpoch(isChecked)
  local epoch, before = string.match(redis.call("GET", KEYS[1]) or "", "^(%d+) (%w*)$")
  if epoch and not isChecked then return epoch end
  local run = redis.call("GET", KEYS[2])
  if not run then
    local info = redis.pcall("INFO", "server")
    run = type(info) == "string" and string.match(info, "run_id:(%w+)") or ""
    redis.call("SET", KEYS[2], run, "PX", ${runTtl})
  end
  if epoch and before == run then return epoch end
  epoch = string.format("%.0f", math.max(now(), tonumber(epoch or 0) + 1))
  redis.call("SET", KEYS[1], epoch .. " " .. run)
  return epoch
end
`;

// one step: what is stored has the next number, or the first one of a new epoch. Without a name nothing is stored
const appendScript = `${functions}local empty = emptyEpoch(true)
local epoch, number, before = string.match(redis.call("GET", KEYS[4]) or "", "^(%d+)-(%d+) ?(%w*)$")
if before == empty then
  number = tonumber(number) + 1
else
  epoch = string.format("%.0f", math.max(now(), tonumber(empty), tonumber(epoch or 0) + 1))
  number = 1
  redis.call("DEL", KEYS[3])
end
local id = epoch .. "-" .. string.format("%.0f", number)
if ARGV[1] ~= "" then
  redis.call("XADD", KEYS[3], "MAXLEN", "~", ARGV[3], id, "name", ARGV[1], "data", ARGV[2])
  redis.call("PEXPIRE", KEYS[3], ARGV[4])
end
redis.call("SET", KEYS[4], id .. " " .. empty, "PX", ARGV[5])`;

const readScript = `${functions}local found = {}
for i = 3, #KEYS, 2 do
  local last, after = redis.call("GET", KEYS[i + 1]), ARGV[(i + 1) / 2]
  local position = last and string.match(last, "^[^ ]+")
  local isNew = position and after ~= "" and after ~= position
  found[#found + 1] = { position, isNew and redis.call("XRANGE", KEYS[i], "(" .. after, "+", "COUNT", ARGV[1]) or {} }
end
return { emptyEpoch(false), found }`;

/** A position and events, as the script says. */
type Found = [last: string | null, entries: [id: string, fields: string[]][]];

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

  append(topic: string, name: string, text: string): Promise<void> {
    return this.#add(topic, name, text);
  }

  skip(topic: string): Promise<void> {
    return this.#add(topic, "", "");
  }

  async #add(topic: string, name: string, text: string): Promise<void> {
    const { events, seconds } = this.#limits;
    const values = [name, text, String(events), String(seconds * 1000), positionTtl];
    await this.#run(appendScript, this.#keysOf(topic), values);
    await this.#shared.notify(liveChannel, topic);
  }

  async read(asked: readonly Asked[], limit: number): Promise<Batch[]> {
    const keys = asked.flatMap(({ topic }) => this.#keysOf(topic));
    const positions = asked.map(({ after }) => (after === undefined ? "" : formatPosition(after)));
    const reply = await this.#run(readScript, keys, [String(limit), ...positions]);
    const [epoch, found] = reply as [string, Found[]];
    return found.map(([last, entries], index) => {
      const { topic, after } = asked[index] as Asked; // one for each
      const events = entries.map(([id, fields]) => {
        const position = parsePosition(id) ?? { epoch: 0, number: 0 };
        return new LiveEvent(topic, fields[1] ?? "", fields[3] ?? "null", position);
      });
      return toBatch(parsePosition(last ?? ""), after, events, Number(epoch));
    });
  }

  #run(script: string, keys: readonly string[], values: readonly string[]): Promise<unknown> {
    const all = [`${this.#prefix}:epoch`, `${this.#prefix}:run`, ...keys];
    return this.#redis.run(["EVAL", script, String(all.length), ...all, ...values]);
  }

  #keysOf(topic: string): [events: string, last: string] {
    const key = `${this.#prefix}:{${topic}}`;
    return [`${key}:events`, `${key}:last`];
  }
}
