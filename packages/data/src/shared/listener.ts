import { setTimeout as sleep } from "node:timers/promises";
import { endsWithin } from "@tenon/core/internal";
import type { Link, LinkListeners } from "../support/link.ts";

/** Milliseconds between attempts to reconnect, and between checks of the connection. */
const reconnectPause = 200;
const checkEvery = 5000;
const checkTimeout = 2000;

/** Listens to a channel of a store for as long as it is open, across connections. */
export class Listener {
  readonly #connect: (listeners: LinkListeners) => Promise<Link>;
  readonly #onMessage: (message: string | undefined) => void;
  readonly #onError: (error: unknown) => void;
  #link: Link | undefined;
  #isOpen = true;
  #timer: NodeJS.Timeout | undefined;

  /**
   * `onMessage` gets undefined with each new connection: messages may have been missed before it. `onError` gets the
   * first error until a connection is made. Neither throws.
   */
  constructor(
    connect: (listeners: LinkListeners) => Promise<Link>,
    onMessage: (message: string | undefined) => void,
    onError: (error: unknown) => void,
  ) {
    this.#connect = connect;
    this.#onMessage = onMessage;
    this.#onError = onError;
  }

  /** Connects in the background, however long it takes. */
  start(): void {
    void this.#reconnect();
    this.#timer = setInterval(() => void this.#check(), checkEvery).unref();
  }

  close(): void {
    this.#isOpen = false;
    clearInterval(this.#timer);
    this.#link?.close();
    this.#link = undefined;
  }

  async #open(): Promise<void> {
    let isLost = false;
    let link: Link | undefined;
    const onLost = () => {
      isLost = true;
      if (link !== undefined) this.#replace(link);
    };
    link = await this.#connect({ onMessage: this.#onMessage, onLost });
    this.#link = link;
    if (!this.#isOpen) this.close();
    else if (isLost) this.#replace(link);
  }

  async #check(): Promise<void> {
    const link = this.#link;
    if (link === undefined) return;
    const isAlive = await endsWithin(link.check(), checkTimeout).catch(() => false);
    if (!isAlive) this.#replace(link);
  }

  /** Drops the connection, if it is the current one, and reconnects in the background. */
  #replace(link: Link): void {
    if (link !== this.#link) return;
    this.#link = undefined;
    link.close();
    void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    for (let failures = 0; this.#isOpen; failures++) {
      try {
        await this.#open();
        if (this.#isOpen) this.#onMessage(undefined);
        return;
      } catch (error) {
        if (failures === 0 && this.#isOpen) this.#onError(error);
        await sleep(reconnectPause, undefined, { ref: false });
      }
    }
  }
}
