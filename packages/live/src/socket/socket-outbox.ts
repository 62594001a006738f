import type { Writable } from "node:stream";
import { Outbox } from "../outbox.ts";
import { joinWires, type Wire, writeFrame } from "../wire.ts";
import type { WsSocket } from "./ws-socket.ts";

/** Milliseconds between looks at what a client has read, where messages may be compressed: `ws` reports only what is sent. */
const lookEvery = 20;
const asText = { binary: false };

/** What waits for the client of a socket: before the upgrade here, after it in the connection that the socket writes to. */
export class SocketOutbox extends Outbox {
  #socket: WsSocket | undefined;
  /** Gets frames whose bodies are shared: `ws` would encode each for each client. Undefined when messages may be compressed. */
  #connection: Writable | undefined;
  /** Sent before the upgrade. */
  #early: Wire[] | undefined;
  #earlyBytes = 0;
  /** When it was made, or something was sent or received after the upgrade; in milliseconds since 1970. */
  activeAt = Date.now();

  attach(socket: WsSocket, connection: Writable | undefined): void {
    this.#socket = socket;
    this.#connection = connection;
    for (const wire of this.#early ?? []) this.#send(socket, wire);
    this.#early = undefined;
    this.giveRoom();
  }

  protected add(wire: Wire, size: number): void {
    if (this.#socket !== undefined) this.#send(this.#socket, wire);
    else {
      this.#earlyBytes += size;
      if (this.#early === undefined) this.#early = [wire];
      else this.#early.push(wire);
    }
  }

  #send(socket: WsSocket, wire: Wire): void {
    this.activeAt = Date.now();
    if (this.#connection === undefined) socket.send(joinWires([wire]), asText);
    else if (socket.readyState === 1) writeFrame(this.#connection, wire); // not after a close frame
  }

  protected watchRoom(): void {
    const giveRoom = () => this.giveRoom();
    if (this.#connection?.writable === true) this.#connection.write("", giveRoom);
    else if (this.#socket !== undefined) setTimeout(giveRoom, lookEvery).unref();
  }

  protected get bytes(): number {
    return this.#socket?.bufferedAmount ?? this.#earlyBytes;
  }
}
