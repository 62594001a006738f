/** A function is called before each request; without a token the request is sent without one. */
export type Token = string | (() => string | undefined | Promise<string | undefined>);

/** The security schemes of the document; the generator writes their names. */
export type SchemeName = string;

export interface ClientOptions {
  /** Defaults to the first server of the document, or else to the origin of the page. */
  readonly baseUrl?: string | undefined;
  /** Where it is sent is declared by the security schemes of the document. Several tokens are given by scheme. */
  readonly token?: Token | { readonly [Name in SchemeName]?: Token | undefined } | undefined;
  /** Sent with every request. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** Defaults to the global `fetch`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Opens WebSockets. Defaults to the global `WebSocket`, which sends headers in Node only. */
  readonly webSocket?: OpenWebSocket | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: { readonly [name: string]: string } | undefined;
}

/** The input of an operation that takes none. */
export interface NoInput {
  readonly [name: string]: never;
}

/** A WebSocket, of a browser, of Node or of a package. */
export interface WebSocketLike {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "open" | "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: { readonly code: number; readonly reason: string }) => void): void;
}

export type OpenWebSocket = (url: string, headers: { readonly [name: string]: string }) => WebSocketLike;
