/**
 * The part of the package `pg` that is used here. `pg` is optional, and so are its types: our types must compile for a
 * consumer that does not install them.
 */
export interface PostgresResult<R> {
  readonly rows: R[];
  readonly rowCount: number | null;
}

export interface PostgresClient {
  query<R>(
    sql: string | { readonly name: string; readonly text: string },
    parameters: unknown[],
  ): Promise<PostgresResult<R>>;
  on(event: "error", listener: () => void): unknown;
}

/** A message of the server about a statement that does not fail it. */
export interface Notice {
  readonly message?: string;
  /** The function of the server that sent it: unlike the message the same in all languages. */
  readonly routine?: string;
}

/** What the server takes to cancel the statement of a connection. */
export interface CancelKey {
  /** The id of the server process that serves this connection. A pooler invents it. */
  readonly processID: number | null;
  readonly secretKey: number | null;
}

export interface PooledClient extends Omit<PostgresClient, "on">, CancelKey {
  on(event: "notice", listener: (notice: Notice) => void): unknown;
  off(event: "notice", listener: (notice: Notice) => void): unknown;
  /** With true the connection is closed instead of reused. */
  release(destroy: boolean): void;
}

export interface SingleClient extends Omit<PostgresClient, "on"> {
  on(event: "error" | "end", listener: () => void): unknown;
  on(event: "notification", listener: (message: { readonly payload?: string }) => void): unknown;
  connect(): Promise<unknown>;
  end(): Promise<void>;
  readonly host: string;
  readonly port: number;
  readonly ssl: boolean | object;
  readonly sslNegotiation: string;
  readonly connection: Connection;
}

/** The protocol below a client. */
export interface Connection {
  readonly stream: { destroy(): unknown };
  on(event: "connect" | "sslconnect" | "error" | "end", listener: () => void): unknown;
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processID: number | null, secretKey: number | null): void;
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
