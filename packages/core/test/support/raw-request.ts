import { sendRaw } from "./raw-socket.ts";

/** Sends one request with an unchanged target: URL classes would normalize it first. */
export async function requestRaw(
  port: number,
  target: string,
  options: { readonly method?: string; readonly headers?: readonly string[] } = {},
): Promise<{ readonly status: number | undefined; readonly head: string; readonly body: string }> {
  const { method = "GET", headers = [] } = options;
  const lines = [`${method} ${target} HTTP/1.1`, "host: localhost", "connection: close", ...headers, "", ""];
  const { text, status } = await sendRaw(port, lines.join("\r\n"));
  const end = text.indexOf("\r\n\r\n");
  return { status, head: text.slice(0, end), body: text.slice(end + 4) };
}
