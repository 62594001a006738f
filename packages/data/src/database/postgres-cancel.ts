import type { CancelKey, SingleClient } from "./postgres-driver.ts";

/**
 * Asks the server to end what the connection with this key runs. The request is a connection of its own, which the server
 * closes without a response; a pooler forwards it. `client` is new and tells where the server is; it is used up.
 */
export function requestCancel(client: SingleClient, { processID, secretKey }: CancelKey, timeout: number): void {
  const { connection, host, port, ssl } = client;
  const close = () => connection.stream.destroy();
  const timer = setTimeout(close, timeout);
  connection.on("error", () => {}); // the statement is abandoned when the request does not arrive
  connection.on("end", () => clearTimeout(timer));
  const isDirect = client.sslNegotiation === "direct"; // encrypted from its first byte
  if (ssl !== false && !isDirect) connection.on("connect", () => connection.requestSsl());
  connection.on(ssl === false ? "connect" : "sslconnect", () => connection.cancel(processID, secretKey));
  if (host.startsWith("/")) connection.connect(`${host}/.s.PGSQL.${port}`);
  else connection.connect(port, host);
}
