import { parseSettingUrl, refuseOption } from "@tenon/core/internal";

export interface PostgresOptions {
  /** Defaults to 10. */
  readonly poolSize?: number;
  /** Milliseconds to connect, or to get a free connection. Defaults to `connect_timeout` of the URL, or else to 1,500. */
  readonly connectTimeout?: number;
  /** Milliseconds that a statement may take. Defaults to `statement_timeout` of the URL, or else to 30,000. */
  readonly statementTimeout?: number | undefined;
  /** That a pooler such as PgBouncer is between, in transaction mode. Defaults to `pooler` of the URL, or else to none. */
  readonly pooler?: "transaction" | undefined;
  /** The URL on which messages of other processes are heard: past the pooler. Defaults to that of the database; behind a pooler to none. */
  readonly listenUrl?: string | undefined;
}

export interface PostgresSettings extends Required<Omit<PostgresOptions, "pooler" | "listenUrl">> {
  readonly statementTimeout: number;
  readonly hasPooler: boolean;
  /** The URL without the parameters that are read here. */
  readonly connectionString: string;
  /** The same of the URL for listening; undefined where none can. */
  readonly listenString: string | undefined;
}

export function toPostgresSettings(url: string, options: PostgresOptions): PostgresSettings {
  const { searchParams } = new URL(url);
  const seconds = Number(searchParams.get("connect_timeout"));
  const milliseconds = Number(searchParams.get("statement_timeout") ?? 30_000);
  const hasPooler = (options.pooler ?? searchParams.get("pooler")) !== null;
  const listenUrl = options.listenUrl ?? (hasPooler ? undefined : url);
  if (listenUrl !== undefined)
    parseSettingUrl("postgres.listenUrl", listenUrl, "It takes a URL such as postgres://user@host/name.");
  if (hasPooler && listenUrl !== undefined && isSameDatabase(url, listenUrl))
    refuseOption(
      "DATABASE_LISTEN_URL leads to the pooler, through which nothing is heard. It takes the server itself.",
    );
  return {
    hasPooler,
    connectionString: toConnectionString(url),
    listenString: listenUrl && toConnectionString(listenUrl),
    poolSize: options.poolSize ?? 10,
    connectTimeout: options.connectTimeout ?? (seconds > 0 ? seconds * 1000 : 1500),
    statementTimeout: options.statementTimeout ?? milliseconds,
  };
}

function isSameDatabase(first: string, second: string): boolean {
  const [a, b] = [new URL(first), new URL(second)];
  return a.hostname === b.hostname && (a.port || "5432") === (b.port || "5432") && a.pathname === b.pathname;
}

function toConnectionString(url: string): string {
  const parsed = new URL(url);
  for (const name of ["connect_timeout", "statement_timeout", "pooler"]) parsed.searchParams.delete(name);
  return parsed.href;
}

/** Stops the start when a parameter of the URL is wrong. `option` names the URL. */
export function checkPostgresUrl(url: string, option: string): void {
  const { searchParams } = new URL(url);
  const timeout = searchParams.get("statement_timeout");
  if (timeout !== null && !/^[1-9]\d{0,8}$/.test(timeout))
    refuseOption(`${option} has an invalid statement_timeout. It takes milliseconds, such as statement_timeout=30000.`);
  const pooler = searchParams.get("pooler");
  if (pooler !== null && pooler !== "transaction")
    refuseOption(`${option} has an invalid pooler. It takes pooler=transaction, or no pooler.`);
}
