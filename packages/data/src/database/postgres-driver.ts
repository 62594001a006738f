/**
 * The part of the package `pg` that is used here. `pg` is optional, and so are its types: our types must compile for a
 * consumer that does not install them.
 */
export interface PostgresResult<R> {
  readonly rows: R[];
  readonly rowCount: number | null;
}

export interface PostgresClient {
  query<R>(sql: string, parameters: unknown[]): Promise<PostgresResult<R>>;
  on(event: "error", listener: () => void): unknown;
}

export interface PooledClient extends PostgresClient {
  /** The id of the server process that serves this connection. */
  readonly processID: number | null;
  /** With true the connection is closed instead of reused. */
  release(destroy: boolean): void;
}

export interface SingleClient extends Omit<PostgresClient, "on"> {
  on(event: "error" | "end", listener: () => void): unknown;
  on(event: "notification", listener: (message: { readonly payload?: string }) => void): unknown;
  connect(): Promise<unknown>;
  end(): Promise<void>;
}

export interface Pool {
  /** Connections. */
  readonly totalCount: number;
  readonly idleCount: number;
  /** Callers that wait for one. */
  readonly waitingCount: number;
  connect(): Promise<PooledClient>;
  end(): Promise<void>;
  on(event: "error", listener: () => void): unknown;
  on(event: "connect", listener: (client: PostgresClient) => void): unknown;
}

export type TypeParser = (text: string) => unknown;

export interface PostgresDriverPackage {
  readonly Pool: new (options: object) => Pool;
  readonly Client: new (options: object) => SingleClient;
  readonly types: { getTypeParser(oid: number, format?: string): TypeParser };
}
