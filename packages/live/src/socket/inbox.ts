import { type Context, HttpError } from "@tenon/core";
import { logError, toHttpError, trace } from "@tenon/core/internal";
import type { LiveConnections } from "../connections.ts";
import { type IncomingMessage, IncomingMessages, toErrorText } from "../messages.ts";
import type { Outbox } from "../outbox.ts";
import { messageTracing, type TracedMessage } from "../tracing.ts";
import { toWire } from "../wire.ts";
import type { WsSocket } from "./ws-socket.ts";

/** Messages that may wait for the handler of the one before them. */
const maxWaiting = 16;

export interface InboxOptions {
  readonly receives: IncomingMessages;
  readonly connections: LiveConnections;
  readonly ctx: Context;
  readonly onMessage: (name: string, data: unknown) => unknown;
  readonly socket: WsSocket;
  /** For errors of messages. */
  readonly outbox: Outbox;
}

/** The messages of a client, handled one after the other. */
export class Inbox {
  readonly #options: InboxOptions;
  #waiting: string[] | undefined;
  #isWorking = false;

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  take(text: string): void {
    if (!this.#isWorking) this.#work(text);
    else if (this.#waiting === undefined) this.#waiting = [text];
    else if (this.#waiting.push(text) >= maxWaiting) this.#options.socket.pause(); // the client has to wait too
  }

  /** What waits is not handled. */
  clear(): void {
    this.#waiting = undefined;
  }

  /** Without a promise where nothing has to wait. */
  #work(first: string | undefined): void {
    for (let text = first; text !== undefined; text = this.#waiting?.shift()) {
      const pending = this.#handle(text);
      if (pending === undefined) continue;
      this.#isWorking = true;
      void pending.then(() => {
        this.#isWorking = false;
        if (this.#options.socket.isPaused) this.#options.socket.resume();
        this.#work(this.#waiting?.shift());
      });
      return;
    }
  }

  /** A promise, which does not reject, when the handler waits for something. */
  #handle(text: string): Promise<void> | undefined {
    let frame: unknown;
    try {
      frame = parse(text);
      const message = this.#options.receives.read(frame);
      if (!(message instanceof Promise)) return this.#dispatch(message);
      return message.then(this.#dispatch, (error: unknown) => this.#fail(IncomingMessages.nameOf(frame), error));
    } catch (error) {
      this.#fail(IncomingMessages.nameOf(frame), error);
      return undefined;
    }
  }

  readonly #dispatch = (message: IncomingMessage): Promise<void> | undefined => {
    if (!messageTracing.hasSubscribers) return this.#run(message);
    const traced: TracedMessage = { ctx: this.#options.ctx, message: message.name };
    return trace(messageTracing, traced, () => this.#run(message, traced));
  };

  /** Errors are reported here, while the message is traced: their log lines belong to it. */
  #run({ name, data }: IncomingMessage, traced?: TracedMessage): Promise<void> | undefined {
    const fail = (error: unknown) => {
      if (traced !== undefined) {
        traced.error = error;
        messageTracing.error.publish(traced);
      }
      this.#fail(name, error);
    };
    try {
      const result = this.#options.onMessage(name, data);
      // a promise of a library too, which may do its work only when it is awaited
      const isPending = typeof Object(result).then === "function";
      return isPending ? Promise.resolve(result).then(() => {}, fail) : undefined;
    } catch (error) {
      fail(error);
      return undefined;
    }
  }

  #fail(name: string | undefined, error: unknown): void {
    const { connections, ctx, outbox } = this.#options;
    if (error instanceof HttpError) connections.count("rejectedMessages");
    logError(ctx, error);
    outbox.push(toWire(toErrorText(name, toHttpError(error))));
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, "A message is JSON");
  }
}
