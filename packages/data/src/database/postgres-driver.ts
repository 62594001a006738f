/**
 * As much of the package `pg` as we use. It is optional, and so are its types: a consumer that does not install them
 * must still be able to read ours.
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
  /** With true the connection is closed instead of used again. */
  release(destroy: boolean): void;
}

export interface SingleClient extends PostgresClient {
  connect(): Promise<unknown>;
  end(): Promise<void>;
}

export interface Pool {
  readonly totalCount: number;
  readonly idleCount: number;
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
