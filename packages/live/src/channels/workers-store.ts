import { type connectToPrimary, endsWithin, type WorkerPort } from "@tenon/core/internal";
import type { Asked, Batch, EventStore, Wake } from "./event-store.ts";
import { LiveEvent } from "./live-event.ts";
import { MemoryStore } from "./memory-store.ts";
import type { Position } from "./position.ts";

export const workersChannel = "live";
/** Milliseconds that the primary has to respond. */
const timeout = 5000;

/** What a worker asks its primary. */
type Call =
  | { readonly call: "secret" }
  | { readonly call: "append"; readonly topic: string; readonly name: string; readonly text: string }
  | { readonly call: "read"; readonly asked: readonly Asked[]; readonly limit: number };

interface Question {
  readonly id: number;
  readonly call: Call;
}

/** Events as messages between processes can hold them. */
interface PlainBatch extends Omit<Batch, "events"> {
  readonly events: readonly { readonly name: string; readonly text: string; readonly position: Position }[];
}

type FromPrimary = { readonly wake: string } | Reply;

interface Reply {
  readonly id: number;
  readonly batches?: PlainBatch[];
  readonly secret?: string;
}

/** Events of this process or, in the primary of several workers, of all of them. */
export class PrimaryStore extends MemoryStore {
  onPrimary(workers: WorkerPort): void {
    this.listen((topic = "") => workers.broadcast(workersChannel, { wake: topic }));
    workers.onMessage(workersChannel, (body, reply) => {
      const { id, call } = body as Question; // of our own workers
      if (call.call === "append") {
        this.add(call.topic, call.name, call.text);
        reply({ id });
      } else if (call.call === "secret") reply({ id, secret: this.secret });
      else void this.read(call.asked, call.limit).then((batches) => reply({ id, batches: batches.map(toPlain) }));
    });
  }
}

function toPlain({ events, ...rest }: Batch): PlainBatch {
  return { ...rest, events: events.map(({ name, text, position }) => ({ name, text, position })) };
}

type Primary = NonNullable<ReturnType<typeof connectToPrimary>>;

/** In a worker: the events are in the primary of the machine. */
export class WorkersStore implements EventStore {
  readonly reach = "workers";
  readonly joinsTransactions = false;
  readonly #primary: Primary;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #secret = "";
  #wake: Wake = () => {};
  #calls = 0;
  #stopListening: (() => void) | undefined;

  constructor(primary: Primary) {
    this.#primary = primary;
  }

  async open(): Promise<void> {
    this.#stopListening = this.#primary.listen((body) => {
      const message = body as FromPrimary; // of our own primary
      if ("wake" in message) this.#wake(message.wake);
      else this.#waiting.get(message.id)?.(message);
    });
    const { secret = "" } = await this.#ask({ call: "secret" });
    this.#secret = secret;
  }

  get secret(): string {
    return this.#secret;
  }

  listen(wake: Wake): void {
    this.#wake = wake;
  }

  async close(): Promise<void> {
    this.#stopListening?.();
  }

  async append(topic: string, name: string, text: string): Promise<void> {
    await this.#ask({ call: "append", topic, name, text });
  }

  async read(asked: readonly Asked[], limit: number): Promise<Batch[]> {
    const { batches } = await this.#ask({ call: "read", asked, limit });
    if (batches === undefined) throw new Error("the primary sent no events");
    return batches.map(({ events, ...rest }, index) => {
      const topic = asked[index]?.topic ?? "";
      return { ...rest, events: events.map(({ name, text, position }) => new LiveEvent(topic, name, text, position)) };
    });
  }

  async #ask(call: Call): Promise<Reply> {
    const id = ++this.#calls;
    const { promise, resolve } = Promise.withResolvers<Reply>();
    this.#waiting.set(id, resolve);
    this.#primary.send({ id, call } satisfies Question);
    try {
      if (await endsWithin(promise, timeout)) return await promise;
      throw new Error("the primary of the workers does not respond");
    } finally {
      this.#waiting.delete(id);
    }
  }
}
