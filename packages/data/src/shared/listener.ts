import { setTimeout as sleep } from "node:timers/promises";
import { endsInTime } from "@tenon/core/internal";

/** Called for each message, and with undefined when messages may have been missed: the connection was lost. */
export type NotificationListener = (message: string | undefined) => void;

/** What a connection that listens reports. */
export interface LinkListeners {
  readonly onMessage: (message: string) => void;
  /** May be called more than once. */
  readonly onLost: () => void;
}

/** A connection that listens. */
export interface Link {
  /** Rejects, or does not end, when the connection is dead. */
  check(): Promise<unknown>;
  close(): void;
}

/** Milliseconds between attempts to reconnect, and between checks of the connection. */
const reconnectPause = 200;
const checkEvery = 5000;
const checkTimeout = 2000;

/** Listens to a channel of a store for as long as it is open, across connections. */
export class Listener {
  readonly #connect: (listeners: LinkListeners) => Promise<Link>;
  readonly #onMessage: NotificationListener;
  #link: Link | undefined;
  #isOpen = true;
  #timer: NodeJS.Timeout | undefined;

  constructor(connect: (listeners: LinkListeners) => Promise<Link>, onMessage: NotificationListener) {
    this.#connect = connect;
    this.#onMessage = onMessage;
  }

  /** Rejects when the first connection cannot be made. */
  async open(): Promise<void> {
    await this.#open();
    this.#checkRegularly();
  }

  /** Connects in the background, however long it takes. */
  start(): void {
    void this.#reconnect();
    this.#checkRegularly();
  }

  #checkRegularly(): void {
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
    const isAlive = await endsInTime(link.check(), checkTimeout).catch(() => false);
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
    while (this.#isOpen) {
      try {
        await this.#open();
        this.#onMessage(undefined);
        return;
      } catch {
        await sleep(reconnectPause, undefined, { ref: false });
      }
    }
  }
}
