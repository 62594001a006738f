import { ApiError } from "./errors.ts";
import { readEvents } from "./event-stream.ts";
import { pause, refuse, toPause } from "./live.ts";
import type { LiveCall } from "./live-types.ts";

export interface LiveEvent {
  readonly event: string;
  readonly data: unknown;
  readonly id: string;
}

/**
 * The events of a stream, across connections: after a lost one it continues with the event that follows. Throws ApiError
 * when the server refuses it, and the reason of the signal when that is aborted. Leaving the loop closes the connection.
 */
export async function* readLive({
  operation,
  options,
  prepare,
  send,
}: LiveCall): AsyncGenerator<LiveEvent, void, undefined> {
  const { signal } = options;
  let id = options.lastEventId ?? "";
  let retry = 1000;
  let failures = 0;
  for (;;) {
    try {
      const { url, headers } = await prepare();
      headers.set("accept", "text/event-stream");
      if (id !== "") headers.set("last-event-id", id);
      const response = await send(new Request(url, { headers, signal: signal ?? null }));
      if (response.status === 204) return;
      if (response.status !== 200) await refuse(operation, response);
      const note = (field: string, value: string) => {
        failures = 0;
        if (field === "id") id = value;
        else if (field === "retry" && /^\d{1,6}$/.test(value)) retry = Number(value);
      };
      const body = response.body ?? new Blob([]).stream();
      for await (const { event, data } of readEvents(body, note)) {
        if (event === "close") break; // the server says why it ends the stream
        yield { event, data: JSON.parse(data), id };
      }
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      const isFinal = error instanceof ApiError && error.status < 500 && error.status !== 429;
      if (isFinal || error instanceof SyntaxError) throw error;
    }
    await pause(toPause(failures++, retry), signal);
  }
}
