export interface ServerSentEvent {
  /** Defaults to "message". */
  readonly event: string;
  /** The lines of data, joined with line feeds. */
  readonly data: string;
  /** The last id that the stream has sent; "" before the first. */
  readonly id: string;
}

/** The events of a `text/event-stream`. Leaving the loop cancels the request. `note` gets every field as it is read. */
export async function* readEvents(
  stream: ReadableStream<Uint8Array>,
  note: (field: string, value: string) => void = () => {},
): AsyncGenerator<ServerSentEvent, void, undefined> {
  let data: string[] = [];
  let event = "";
  let id = "";
  for await (const line of readLines(stream)) {
    if (line === "") {
      if (data.length > 0) yield { event: event || "message", data: data.join("\n"), id };
      data = [];
      event = "";
      continue;
    }
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line.charAt(colon + 1) === " " ? colon + 2 : colon + 1);
    if (field === "data") data.push(value);
    else if (field === "event") event = value;
    else if (field === "id" && !value.includes("\0")) id = value;
    note(field, value);
  }
}

/** Complete lines only: an event that the end of the stream cuts off must not be delivered. */
async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = stream.getReader();
  const decoder = new TextDecoder(); // removes a byte order mark
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      // the line feed of a carriage return at the end of a chunk may be in the next one
      const isCut = !done && rest.endsWith("\r");
      const lines = (isCut ? rest.slice(0, -1) : rest).split(/\r\n|\n|\r/);
      rest = `${lines.pop() ?? ""}${isCut ? "\r" : ""}`;
      yield* lines;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => {}); // a stream that failed rejects with its error again
  }
}
