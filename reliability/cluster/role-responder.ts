// What HAProxy asks beside a PostgreSQL server: 200 where it is the primary, 503 otherwise.
import { createServer } from "node:http";
import pg from "pg";
import { responderPort } from "./ports.ts";

let client: pg.Client | undefined;

async function isPrimary(): Promise<boolean> {
  try {
    if (client === undefined) {
      const next = new pg.Client({
        host: "127.0.0.1",
        user: "postgres",
        connectionTimeoutMillis: 1000,
        query_timeout: 1000,
      });
      next.on("error", () => {});
      await next.connect();
      client = next;
    }
    const { rows } = await client.query<{ replica: boolean }>("select pg_is_in_recovery() as replica");
    return rows[0]?.replica === false;
  } catch {
    client?.end().catch(() => {});
    client = undefined;
    return false;
  }
}

createServer(async (_, response) => {
  response.writeHead((await isPrimary()) ? 200 : 503, { connection: "close" }).end();
}).listen(responderPort);
