import { subscribe, unsubscribe } from "node:diagnostics_channel";

/** A request of Node's `fetch`, as far as it is used here. */
export interface FetchRequest {
  readonly origin: string | URL;
  readonly path: string;
  readonly method: string;
  /** Names and values in turn. */
  readonly headers: readonly unknown[] | string;
  addHeader(name: string, value: string): void;
}

export interface FetchMessage {
  readonly request: FetchRequest;
  readonly response?: { readonly statusCode: number };
  readonly error?: unknown;
}

export type FetchListener = (message: FetchMessage) => void;

export interface FetchListeners {
  readonly create: FetchListener;
  readonly headers: FetchListener;
  readonly trailers: FetchListener;
  readonly error: FetchListener;
}

/** Listens to the requests of Node's `fetch`. Returns the function that ends it. */
export function listenToFetch(listeners: FetchListeners): () => void {
  const entries = Object.entries(listeners).map(
    ([name, listener]) => [`undici:request:${name}`, listener as (message: unknown) => void] as const, // as Node documents them
  );
  for (const [name, listener] of entries) subscribe(name, listener);
  return () => {
    for (const [name, listener] of entries) unsubscribe(name, listener);
  };
}

/** What is not an Error is the reason of a caller that has cancelled the body, or of Node for a body that was not read. */
export function isAbort(error: unknown): boolean {
  return !(error instanceof Error) || error.name === "AbortError";
}
