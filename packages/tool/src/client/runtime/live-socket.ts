import { type LiveSocket, pause, toPause } from "./live.ts";
import { type LiveEvent, readLive } from "./live-events.ts";
import type { LiveCall, OpenLive } from "./live-types.ts";
import type { OpenWebSocket, WebSocketLike } from "./options.ts";

/** The server has ended the connection for good. */
export class LiveSocketClosed extends Error {
  override readonly name = "LiveSocketClosed";
  readonly code: number;

  constructor(operation: string, code: number, reason: string) {
    super(`${operation} was closed with ${code}${reason === "" ? "" : `: ${reason}`}`);
    this.code = code;
  }
}

/** 1000 is a normal end; the others end with the same result when they are tried again. */
const isFinal = (code: number) => [1000, 1003, 1008, 1009, 4401].includes(code) || (code >= 4000 && code < 4400);
const firstAttempts = 5;
const maxWaiting = 1000;

export class SocketConnection implements LiveSocket<LiveEvent, { readonly [name: string]: unknown }> {
  readonly #call: LiveCall;
  readonly #openSocket: OpenWebSocket;
  readonly #received: LiveEvent[] = [];
  readonly #unsent: string[] = [];
  #socket: WebSocketLike | undefined;
  #id: string;
  #wasOpen = false;
  #isClosed = false;
  #error: unknown;
  #wake: () => void = () => {};

  constructor(call: LiveCall, openSocket: OpenWebSocket = openGlobal) {
    this.#call = call;
    this.#openSocket = openSocket;
    this.#id = call.options.lastEventId ?? "";
    call.options.signal?.addEventListener("abort", () => this.close(), { once: true });
    void this.#run();
  }

  send(event: string, data: unknown): void {
    if (this.#isClosed) throw new TypeError("the socket is closed");
    const text = JSON.stringify({ event, data });
    if (this.#socket !== undefined) this.#socket.send(text);
    else if (this.#unsent.push(text) > maxWaiting) throw new RangeError("too many messages wait for a connection");
  }

  close(): void {
    this.#end();
    this.#socket?.close(1000);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LiveEvent, void, undefined> {
    try {
      for (;;) {
        const message = this.#received.shift();
        if (message !== undefined) yield message;
        else if (this.#error !== undefined) throw this.#error;
        else if (this.#isClosed) return;
        else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      this.close();
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#call.options;
    for (let failures = 0; !this.#isClosed; failures++) {
      try {
        const { code, reason, wasOpen } = await this.#connect();
        if (wasOpen) failures = 0;
        this.#wasOpen ||= wasOpen;
        const hasFailed = !this.#wasOpen && failures + 1 >= firstAttempts;
        if (this.#isClosed || code === 1000) break;
        if (isFinal(code) || hasFailed) throw new LiveSocketClosed(this.#call.operation.path.join("."), code, reason);
        await pause(toPause(failures, 500), signal);
      } catch (error) {
        this.#error = error;
        break;
      }
    }
    this.#end();
  }

  /** Resolves when the connection is closed. */
  async #connect(): Promise<{ readonly code: number; readonly reason: string; readonly wasOpen: boolean }> {
    const { url, headers } = await this.#call.prepare();
    const page = (globalThis as unknown as { readonly location?: { readonly href: string } }).location; // only of a browser
    const address = new URL(url, page?.href);
    address.protocol = address.protocol.replace("http", "ws");
    if (this.#id !== "") address.searchParams.set("lastEventId", this.#id);
    const socket = this.#openSocket(address.href, Object.fromEntries(headers));
    let wasOpen = false;
    return new Promise((resolve) => {
      socket.addEventListener("open", () => {
        wasOpen = true;
        this.#socket = socket;
        if (this.#isClosed) socket.close(1000);
        for (const text of this.#unsent.splice(0)) socket.send(text);
      });
      socket.addEventListener("message", ({ data }) => this.#receive(String(data)));
      socket.addEventListener("error", () => {}); // `close` follows
      socket.addEventListener("close", ({ code, reason }) => {
        this.#socket = undefined;
        resolve({ code, reason, wasOpen });
      });
    });
  }

  #receive(text: string): void {
    const { event, data, id = "" } = JSON.parse(text) as Partial<LiveEvent>; // as the server writes it
    if (id !== "") this.#id = id;
    if (event === undefined) return;
    this.#received.push({ event, data, id });
    this.#wake();
  }

  #end(): void {
    this.#isClosed = true;
    this.#wake();
  }
}

function openGlobal(url: string, headers: { readonly [name: string]: string }): WebSocketLike {
  const hasHeaders = Object.keys(headers).length > 0;
  if (hasHeaders && "document" in globalThis) {
    throw new TypeError("a page cannot send headers with a WebSocket: authenticate with a cookie");
  }
  const Socket = WebSocket as unknown as new (url: string, init?: object) => WebSocketLike; // Node takes headers too
  return hasHeaders ? new Socket(url, { headers }) : new Socket(url);
}

export const openLive: OpenLive = (call, { webSocket }) =>
  call.operation.live === "socket" ? new SocketConnection(call, webSocket) : readLive(call);
