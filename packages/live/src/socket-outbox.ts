import type { Writable } from "node:stream";
import { type Closing, closings } from "./connections.ts";
import type { TextFrame } from "./text-frame.ts";
import type { Outbox } from "./topic-list.ts";
import type { WsSocket } from "./ws-socket.ts";

/** Milliseconds between looks at what a client has read, where messages may be compressed: `ws` reports only what is sent. */
const lookEvery = 20;

/** What waits for the client of a socket: before the upgrade here, after it in the connection that the socket writes to. */
export class SocketOutbox implements Outbox<TextFrame> {
  readonly #limit: number;
  readonly #onSlow: { end(closing: Closing): void };
  #socket: WsSocket | undefined;
  /** Gets whole frames: `ws` would make one for each client. Undefined when messages may be compressed. */
  #connection: Writable | undefined;
  /** Sent before the upgrade. */
  #early: TextFrame[] | undefined;
  #earlyBytes = 0;
  #isEnded = false;
  #room: PromiseWithResolvers<void> | undefined;
  /** When it was made, or something was sent or received after the upgrade; in milliseconds since 1970. */
  activeAt = Date.now();

  /** `limit` is in bytes: past it `onSlow` is ended. */
  constructor(limit: number, onSlow: { end(closing: Closing): void }) {
    this.#limit = limit;
    this.#onSlow = onSlow;
  }

  attach(socket: WsSocket, connection: Writable | undefined): void {
    this.#socket = socket;
    this.#connection = connection;
    for (const { text } of this.#early ?? []) socket.send(text);
    this.#early = undefined;
    this.#giveRoom();
  }

  push(frame: TextFrame): void {
    if (this.#isEnded) return;
    const { length } = frame.text;
    const waiting = this.#bytes;
    if (waiting > 0 && waiting + length > this.#limit) this.#onSlow.end(closings.slow);
    else if (this.#socket !== undefined) this.#send(this.#socket, frame);
    else {
      this.#earlyBytes += length;
      if (this.#early === undefined) this.#early = [frame];
      else this.#early.push(frame);
    }
  }

  #send(socket: WsSocket, frame: TextFrame): void {
    this.activeAt = Date.now();
    if (this.#connection === undefined) socket.send(frame.text);
    else if (socket.readyState === 1) this.#connection.write(frame.bytes); // not after a close frame
  }

  /** Half of what may wait is for the buffer of a topic: the rest is for new events. */
  whenRoom(characters: number): Promise<void> | undefined {
    const waiting = this.#bytes;
    if (this.#isEnded || waiting === 0 || waiting + characters <= this.#limit / 2) return undefined;
    if (this.#room === undefined) {
      this.#room = Promise.withResolvers();
      const giveRoom = () => this.#giveRoom();
      if (this.#connection?.writable === true) this.#connection.write("", giveRoom);
      else if (this.#socket !== undefined) setTimeout(giveRoom, lookEvery).unref();
    }
    return this.#room.promise;
  }

  end(): void {
    this.#isEnded = true;
    this.#giveRoom();
  }

  get #bytes(): number {
    return this.#socket?.bufferedAmount ?? this.#earlyBytes;
  }

  #giveRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
