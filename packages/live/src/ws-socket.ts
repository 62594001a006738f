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
  on(event: "ping" | "pong" | "error", listener: (this: WsSocket) => void): this;
}
