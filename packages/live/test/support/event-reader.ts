export interface ReadEvent {
  readonly event: string;
  readonly data: unknown;
  readonly id: string;
}

/** Reads server-sent events as they arrive. */
export class EventReader {
  readonly response: Response;
  /** The last id, also of a block without data. */
  id = "";
  /** Comments, such as heartbeats. */
  comments = 0;
  retry = "";
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #rest = "";

  constructor(response: Response) {
    if (response.body === null) throw new Error(`no body with status ${response.status}`);
    this.response = response;
    this.#reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  }

  static async open(url: string, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<EventReader> {
    return new EventReader(await fetch(url, { headers, ...(signal === undefined ? {} : { signal }) }));
  }

  /** The next event; undefined at the end of the stream. */
  async next(): Promise<ReadEvent | undefined> {
    for (;;) {
      const block = await this.#nextBlock();
      if (block === undefined) return undefined;
      const event = this.#parse(block);
      if (event !== undefined) return event;
    }
  }

  async take(count: number): Promise<ReadEvent[]> {
    const events: ReadEvent[] = [];
    while (events.length < count) {
      const event = await this.next();
      if (event === undefined) throw new Error(`the stream ended after ${events.length} of ${count} events`);
      events.push(event);
    }
    return events;
  }

  /** Reads blocks until the condition holds. */
  async until(condition: (reader: EventReader) => boolean): Promise<void> {
    while (!condition(this)) {
      const block = await this.#nextBlock();
      if (block === undefined) throw new Error("the stream ended");
      this.#parse(block);
    }
  }

  async cancel(): Promise<void> {
    await this.#reader.cancel();
  }

  #parse(block: string): ReadEvent | undefined {
    let event = "message";
    let data = "";
    for (const line of block.split("\n")) {
      const colon = line.indexOf(":");
      const [field, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
      if (colon === 0) this.comments++;
      else if (field === "id") this.id = value;
      else if (field === "event") event = value;
      else if (field === "data") data = value;
      else if (field === "retry") this.retry = value;
    }
    return data === "" ? undefined : { event, data: JSON.parse(data), id: this.id };
  }

  async #nextBlock(): Promise<string | undefined> {
    for (;;) {
      const end = this.#rest.indexOf("\n\n");
      if (end >= 0) {
        const block = this.#rest.slice(0, end);
        this.#rest = this.#rest.slice(end + 2);
        return block;
      }
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#rest += this.#decoder.decode(value, { stream: true });
    }
  }
}
