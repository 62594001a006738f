import { connect } from "node:net";

export interface RawResponse {
  /** All that the server sent until it closed, or until `wait` milliseconds passed. */
  readonly text: string;
  /** The status of the first response; undefined when there was none. */
  readonly status: number | undefined;
  readonly closed: boolean;
}

/** Sends bytes as they are and collects the response. Ends when the server closes, `until` holds, or `wait` has passed. */
export function sendRaw(
  port: number,
  bytes: string | Uint8Array,
  options: { readonly wait?: number; readonly until?: (text: string) => boolean } = {},
): Promise<RawResponse> {
  const { wait = 60_000, until } = options;
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    const finish = (closed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
      resolve({ text, status: status === undefined ? undefined : Number(status), closed });
    };
    const timer = setTimeout(() => finish(false), wait);
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (until?.(text) === true) finish(false);
    });
    socket.on("error", () => {});
    socket.on("close", () => finish(true));
  });
}
