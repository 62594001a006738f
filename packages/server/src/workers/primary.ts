/** What a worker and its primary exchange for packages: each channel is one package. */
export interface WorkerMessage {
  readonly tenon: "message";
  readonly channel: string;
  readonly body: unknown;
}

/** The workers of a machine, as their primary sees them. */
export interface WorkerPort {
  /** How many are serving. */
  readonly count: number;
  /** `reply` sends to the worker that the message is from. */
  onMessage(channel: string, listener: (body: unknown, reply: (body: unknown) => void) => void): void;
  /** Sends to all workers. */
  broadcast(channel: string, body: unknown): void;
}

/** The primary of a worker, as the worker sees it. */
export interface PrimaryPort {
  send(body: unknown): void;
  /** Returns a function that ends it. */
  listen(listener: (body: unknown) => void): () => void;
}

export function toWorkerMessage(channel: string, body: unknown): WorkerMessage {
  return { tenon: "message", channel, body };
}

export function isWorkerMessage(message: unknown): message is WorkerMessage {
  return typeof message === "object" && message !== null && "tenon" in message && message.tenon === "message";
}

/** Undefined in a process that is not a worker. */
export function connectToPrimary(channel: string): PrimaryPort | undefined {
  if (!process.getBuiltinModule("node:cluster").isWorker) return undefined;
  return {
    // without a callback, a closed channel would be an error event
    send: (body) => void process.send?.(toWorkerMessage(channel, body), undefined, {}, () => {}),
    listen(listener) {
      const onMessage = (message: unknown) => {
        if (isWorkerMessage(message) && message.channel === channel) listener(message.body);
      };
      process.on("message", onMessage);
      return () => process.off("message", onMessage);
    },
  };
}
