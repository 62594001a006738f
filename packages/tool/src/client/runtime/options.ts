/** A function is called before each request; without a token the request is sent without one. */
export type Token = string | (() => string | undefined | Promise<string | undefined>);

export interface ClientOptions {
  /** Defaults to the first server of the document, or else to the origin of the page. */
  readonly baseUrl?: string | undefined;
  /** Where it is sent is declared by the security schemes of the document. Several tokens are given by scheme. */
  readonly token?: Token | { readonly [scheme: string]: Token } | undefined;
  /** Sent with every request. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** Defaults to the global `fetch`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: { readonly [name: string]: string } | undefined;
}

/** The input of an operation that takes none. */
export interface NoInput {
  readonly [name: string]: never;
}
