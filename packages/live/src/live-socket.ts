import type { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type Context, HttpError, type Lease, type Returned } from "@tenon/core";
import { logError, toHttpError } from "@tenon/core/platform";
import type { LiveEvent } from "./channels/live-event.ts";
import type { Sink, Subscriber } from "./channels/subscriber.ts";
import { type Closing, closings, type LiveConnection, type LiveConnections } from "./connections.ts";
import { MessageRate } from "./message-rate.ts";
import {
  type IncomingMessage,
  IncomingMessages,
  InvalidMessage,
  type Messages,
  type OutgoingMessages,
  toErrorText,
} from "./messages.ts";
import type { SocketLimits } from "./settings.ts";
import { TextFrame } from "./text-frame.ts";
import { TopicList } from "./topic-list.ts";

/** The part of a socket of `ws` that is used here: our types must compile for a consumer without the types of `ws`. */
export interface WsSocket {
  /** 1 is open. */
  readonly readyState: number;
  readonly bufferedAmount: number;
  readonly isPaused: boolean;
  send(text: string): void;
  ping(): void;
  pause(): void;
  resume(): void;
  close(code: number, reason: string): void;
  terminate(): void;
  on(event: "message", listener: (data: Buffer, isBinary: boolean) => void): this;
  on(event: "close", listener: (code: number, reason: Buffer) => void): this;
  on(event: "ping" | "pong" | "error", listener: () => void): this;
}

export interface SocketOptions {
  readonly sends: OutgoingMessages<TextFrame>;
  readonly receives: IncomingMessages;
  readonly connections: LiveConnections;
  readonly leases: readonly Lease[];
  readonly lastEventId: string;
  readonly limits: Required<SocketLimits>;
  readonly ctx: Context;
  readonly onMessage: (name: string, data: unknown) => unknown;
  readonly onClose: (closing: Closing) => unknown;
}

/** Messages that may wait for the handler of the one before them. */
const maxReceived = 16;
/** Milliseconds between looks at what a client has read: `ws` reports only what is sent. */
const lookEvery = 20;
/** Milliseconds that a socket may be prepared before its connection is there. */
const attachTimeout = 10_000;

/** A message of a socket. Names of messages have no characters that JSON escapes. */
export function toMessage(name: string, json: string, id?: string): TextFrame {
  return new TextFrame(`{${id === undefined ? "" : `"id":"${id}",`}"event":"${name}","data":${json}}`);
}

/**
 * A WebSocket of a live route. What is sent before the upgrade waits for it; after it, the bytes that wait for the
 * client are limited, and a client that reads too slowly is disconnected.
 */
export class LiveSocket<Sends extends Messages = Messages> implements LiveConnection, Subscriber {
  readonly kind = "socket";
  /** Of the last event that the client got on an earlier connection; "" for a new client. */
  readonly lastEventId: string;
  readonly leases: readonly Lease[];
  readonly #options: SocketOptions;
  readonly #topics: TopicList;
  readonly #rate: MessageRate;
  readonly #created = Date.now();
  #socket: WsSocket | undefined;
  /** Gets whole frames: `ws` would make one for each client. Undefined when messages may be compressed. */
  #connection: Writable | undefined;
  /** Sent before the upgrade. */
  #early: TextFrame[] = [];
  #earlyBytes = 0;
  readonly #received: string[] = [];
  #isWorking = false;
  /** How it was ended. */
  #closing: Closing | undefined;
  #isInside = false;
  #isEnded = false;
  #isAlive = true;
  #activeAt = Date.now();

  constructor(options: SocketOptions) {
    this.#options = options;
    this.lastEventId = options.lastEventId;
    this.leases = options.leases;
    this.#rate = new MessageRate(options.limits.messagesPerSecond, this.#created);
    this.#topics = new TopicList(options.lastEventId, {
      whenRoom: (characters) => (this.#hasRoom(characters) ? undefined : this.#waitForRoom(characters)),
      onPosition: (id) => this.#write(new TextFrame(JSON.stringify({ id }))),
      onEvent: (event, id) => this.#writeEvent(event, id),
      onReset: (topic, id) => this.#write(toMessage("reset", JSON.stringify({ topic }), id)),
    });
  }

  /** Sends a message. Throws InvalidMessage when the data does not match its schema. */
  send<Name extends keyof Sends & string>(name: Name, data: Returned<Sends[Name]>): void {
    try {
      this.#write(this.#options.sends.encode(name, data));
    } catch (error) {
      if (error instanceof InvalidMessage) this.#options.connections.count("unsentMessages");
      throw error;
    }
  }

  /** 1000 is a normal end; codes of an application are from 4000 to 4399. A reason has at most 123 bytes. */
  close(code = 1000, reason = ""): void {
    this.end({ code, reason });
  }

  get isOpen(): boolean {
    return !this.#isEnded;
  }

  join(topic: string): Sink {
    return this.#topics.join(topic);
  }

  onClose(end: () => void): void {
    this.#topics.onClose(end);
  }

  /** The request is upgraded. `connection` is what the socket writes to, for messages that are not compressed. */
  attach(socket: WsSocket, connection?: Writable): void {
    this.#socket = socket;
    this.#connection = connection;
    socket
      .on("message", (data: Buffer, isBinary: boolean) => this.#receive(data, isBinary))
      .on("ping", () => this.#allow(Date.now())) // `ws` answers each with a pong, which waits for the client to read it
      .on("pong", () => {
        this.#isAlive = true;
        this.#allow(Date.now());
      })
      .on("error", () => {}) // `close` follows, with the code that the client gets
      .on("close", (code: number, reason: Buffer) => this.#closed({ code, reason: reason.toString() }));
    for (const { text } of this.#early.splice(0)) socket.send(text);
    if (this.#isEnded) this.#finish(this.#closing ?? closings.stopping);
  }

  /** Its handler `open` has succeeded: from here on `close` is called at the end, whatever happens. */
  enter(): void {
    this.#isInside = true;
  }

  /** The connection is not upgraded. */
  discard(): void {
    this.#closed({ code: 1006, reason: "" });
  }

  beat(): void {
    if (this.#socket === undefined) return;
    if (!this.#isAlive) this.#socket.terminate(); // no pong since the last ping
    this.#isAlive = this.#socket.isPaused; // its pong would not be read
    this.#socket.ping();
  }

  check(now: number): void {
    const { idle } = this.#options.limits;
    if (this.#socket === undefined && now - this.#created > attachTimeout) this.discard();
    else if (idle > 0 && now - this.#activeAt > idle) this.end(closings.silent);
  }

  end(closing: Closing): void {
    if (this.#isEnded) return;
    this.#closing = closing;
    this.#leave();
    this.#finish(closing);
  }

  #finish({ code, reason }: Closing): void {
    this.#socket?.close(code, reason);
    if (this.#socket?.isPaused === true) this.#socket.resume(); // the client's close frame must be read
  }

  #leave(): void {
    this.#isEnded = true;
    this.#topics.close();
    this.#options.connections.remove(this);
  }

  #closed(closing: Closing): void {
    this.#leave();
    this.#received.length = 0;
    if (!this.#isInside) return;
    this.#isInside = false;
    const { onClose, ctx } = this.#options;
    runSafely(
      () => onClose(closing),
      (error) => logError(ctx, error),
    );
  }

  #writeEvent(event: LiveEvent, id: string): void {
    const { sends, connections, ctx } = this.#options;
    const frame = sends.encodeEvent(event, id, (error) =>
      connections.reportUnsent(`${ctx.route?.method} ${ctx.route?.path}`, event.topic, error),
    );
    if (frame !== undefined) this.#write(frame);
  }

  get #waitingBytes(): number {
    return this.#socket?.bufferedAmount ?? this.#earlyBytes;
  }

  /** Half of what may wait is for the buffer of a topic: the rest is for new events. */
  #hasRoom(characters: number): boolean {
    const waiting = this.#waitingBytes;
    return this.#isEnded || waiting === 0 || waiting + characters <= this.#options.limits.pendingBytes / 2;
  }

  async #waitForRoom(characters: number): Promise<void> {
    while (!this.#hasRoom(characters)) await sleep(lookEvery, undefined, { ref: false });
  }

  #write(frame: TextFrame): void {
    if (this.#isEnded) return;
    const { length } = frame.text;
    this.#activeAt = Date.now();
    const waiting = this.#waitingBytes;
    if (waiting > 0 && waiting + length > this.#options.limits.pendingBytes) {
      this.#options.connections.count("slowClients");
      this.end(closings.slow);
    } else if (this.#socket === undefined) {
      this.#early.push(frame);
      this.#earlyBytes += length;
    } else if (this.#connection === undefined) this.#socket.send(frame.text);
    else if (this.#socket.readyState === 1) this.#connection.write(frame.bytes); // not after a close frame
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#isEnded) return;
    const now = Date.now();
    this.#activeAt = now;
    this.#isAlive = true;
    if (isBinary) this.end(closings.binary);
    else if (this.#allow(now)) {
      this.#received.push(data.toString());
      if (!this.#isWorking) this.#work();
      else if (this.#received.length >= maxReceived) this.#socket?.pause(); // the client has to wait too
    }
  }

  /** Ends the socket when its client sends too much. */
  #allow(now: number): boolean {
    if (this.#isEnded) return false;
    const isAllowed = this.#rate.take(now);
    if (!isAllowed) this.end(closings.tooMany);
    return isAllowed;
  }

  /** One message after the other, without a promise where nothing has to wait. */
  #work(): void {
    for (let text = this.#received.shift(); text !== undefined; text = this.#received.shift()) {
      const pending = this.#handle(text);
      if (pending === undefined) continue;
      this.#isWorking = true;
      void pending.then(() => {
        this.#isWorking = false;
        if (this.#socket?.isPaused === true) this.#socket.resume();
        this.#work();
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
    const { connections, ctx } = this.#options;
    if (error instanceof HttpError) connections.count("rejectedMessages");
    logError(ctx, error);
    this.#write(new TextFrame(toErrorText(IncomingMessages.nameOf(frame), toHttpError(error))));
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

function runSafely(run: () => unknown, onError: (error: unknown) => void): void {
  Promise.try(run).catch(onError);
}
