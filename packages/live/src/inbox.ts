import { type Context, HttpError } from "@tenon/core";
import { logError, toHttpError } from "@tenon/core/platform";
import type { LiveConnections } from "./connections.ts";
import { type IncomingMessage, IncomingMessages, toErrorText } from "./messages.ts";
import { TextFrame } from "./text-frame.ts";
import type { Outbox } from "./topic-list.ts";
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
  readonly outbox: Outbox<TextFrame>;
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
      const result = message instanceof Promise ? message.then(this.#dispatch) : this.#dispatch(message);
      if (!isThenable(result)) return undefined;
      return Promise.resolve(result).then(ignore, (error: unknown) => this.#fail(frame, error));
    } catch (error) {
      this.#fail(frame, error);
      return undefined;
    }
  }

  readonly #dispatch = ({ name, data }: IncomingMessage): unknown => this.#options.onMessage(name, data);

  #fail(frame: unknown, error: unknown): void {
    const { connections, ctx, outbox } = this.#options;
    if (error instanceof HttpError) connections.count("rejectedMessages");
    logError(ctx, error);
    outbox.push(new TextFrame(toErrorText(IncomingMessages.nameOf(frame), toHttpError(error))));
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, "A message is JSON");
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

function ignore(): void {}
