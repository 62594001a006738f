import type { Socket } from "node:net";
import type { Outgoing, Upgrade } from "../handler.ts";

interface Upgradable {
  readonly socket: Socket;
  readonly destroyed: boolean;
  detach(): Uint8Array | undefined;
}

/** Connections that have changed to another protocol. */
export class Upgrades {
  /** What ends each of them. */
  readonly open = new Map<Socket, () => void>();
  #isEnding = false;
  /** One function for all of them: each would take memory for as long as its connection is open. */
  readonly #onClose: (this: Socket) => void;

  constructor() {
    const { open } = this;
    this.#onClose = function () {
      open.delete(this);
    };
  }

  /** Hands the socket of a request over. Returns the protocol where that is not possible, and a response is. */
  takeOver(message: Upgradable, outgoing: Outgoing): string | undefined {
    const { socket } = message;
    const upgrade = outgoing.body as Upgrade; // the body of the status 101
    const buffered = message.destroyed ? undefined : message.detach();
    if (buffered === undefined) {
      upgrade.discard();
      return message.destroyed ? undefined : upgrade.protocol;
    }
    const end = upgrade.take(socket, buffered, [...(outgoing.extraHeaders() ?? [])]);
    this.open.set(socket, end);
    socket.on("close", this.#onClose);
    if (this.#isEnding) end(); // the others were ended before
    return undefined;
  }

  /** Ends all, and from now on each that is taken over. */
  end(): void {
    this.#isEnding = true;
    for (const end of this.open.values()) end();
  }
}
