import { HttpError, inject } from "@tenon/core";
import { Channels } from "@tenon/live";
import { Config } from "../config.ts";
import { postsTopic } from "./posts.service.ts";

interface Change {
  readonly event: string;
  readonly data: { readonly id?: string; readonly title?: string };
}

/** The changes of the public list as lines of text. */
export class PostFeed {
  readonly #channels = inject(Channels);
  /** Where the API of this configuration listens on this machine. */
  readonly #api = `http://127.0.0.1:${inject(Config).port}`;

  /**
   * From the channels where they reach other processes, which takes Redis or PostgreSQL; else from the event stream of
   * the API.
   */
  async *read(url: string | undefined, signal: AbortSignal): AsyncGenerator<string> {
    const isShared = url === undefined && this.#channels.reach === "instances";
    const source = url ?? this.#api;
    const changes = isShared ? await this.#openChannel(signal) : readStream(await openStream(source, signal));
    yield `watching ${isShared ? "this database" : source}; end with Ctrl+C\n`;
    for await (const { event, data } of changes) {
      if (event !== "close") yield `${event.padEnd(9)}  ${data.id ?? ""}  ${data.title ?? ""}`.trimEnd().concat("\n");
    }
  }

  async #openChannel(signal: AbortSignal): Promise<AsyncGenerator<Change>> {
    const waiting: Change[] = [];
    let wake = () => {};
    signal.addEventListener("abort", () => wake());
    const subscription = await this.#channels.subscribe(postsTopic, ({ name, data }) => {
      waiting.push({ event: name, data: data as Change["data"] }); // as PostsService publishes it
      wake();
    });
    return (async function* read() {
      try {
        while (!signal.aborted) {
          const next = waiting.shift();
          if (next !== undefined) yield next;
          else {
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
        }
      } finally {
        subscription.close();
      }
    })();
  }
}

async function openStream(url: string, signal: AbortSignal): Promise<Response> {
  const response = await fetch(new URL("/live/posts", url), { signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new HttpError(503, `Nothing responds at ${url}: start the API with npm start, or pass --url`);
  });
  if (response.ok) return response;
  throw new HttpError(502, `${url} responds to GET /live/posts with ${response.status}`);
}

async function* readStream({ body }: Response): AsyncGenerator<Change> {
  let rest = "";
  for await (const chunk of (body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream())) {
    const blocks = `${rest}${chunk}`.split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) };
    }
  }
}
