/** The part of a socket of `ws` that is used here: our types must compile for a consumer without the types of `ws`. */
export interface WsSocket {
  /** 1 is open. */
  readonly readyState: number;
  readonly bufferedAmount: number;
  readonly isPaused: boolean;
  /** Not documented by `ws`, which reports only whole messages. */
  readonly _receiver: {
    /** Bytes of a frame that is not complete. */
    readonly _bufferedBytes: number;
    /** The opcode of a message that still gets fragments; 0 for none. */
    readonly _fragmented: number;
    /** 0 between frames. */
    readonly _state: number;
  };
  /** Not documented either. A message that is compressed leaves 240 KB of zlib, which `cleanup()` frees. */
  readonly _extensions: { readonly "permessage-deflate"?: { cleanup(): void } };
  send(data: Buffer, options: { readonly binary: boolean }): void;
  ping(): void;
  pause(): void;
  resume(): void;
  close(code: number, reason: string): void;
  terminate(): void;
  on(event: "message", listener: (this: this, data: Buffer, isBinary: boolean) => void): this;
  on(event: "close", listener: (this: this, code: number, reason: Buffer) => void): this;
  on(event: "ping" | "pong" | "error", listener: (this: this) => void): this;
}
