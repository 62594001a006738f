import { hash, randomUUID } from "node:crypto";
import type { Context } from "@tenon/core";
import { type Incoming, Outgoing, type PlatformParts, type RequestHandler } from "@tenon/core/platform";
import { addToPage } from "./html.ts";

const scriptPath = "/@tenon/reload.js";
const eventsPath = "/@tenon/events";

/**
 * Runs in the browser. Connects only while the page is visible, because a browser opens few connections to one host,
 * and by itself after a failure, because not every browser tries a refused connection again.
 */
const script = `(() => {
  const page = document.currentScript.dataset.start;
  let source;
  let timer;
  const connect = () => {
    clearTimeout(timer);
    source?.close();
    if (document.hidden) return;
    source = new EventSource("${eventsPath}");
    source.addEventListener("start", ({ data }) => {
      if (data === page) return;
      source.close();
      location.reload();
    });
    source.addEventListener("error", () => {
      source.close();
      timer = setTimeout(connect, 250);
    });
  };
  document.addEventListener("visibilitychange", connect);
  connect();
})();
`;

/** With a hash, because a browser keeps the script: a page that is opened at a restart could not load it any more. */
const scriptUrl = `${scriptPath}?v=${hash("sha1", script).slice(0, 8)}`;

type Devtools = NonNullable<PlatformParts["devtools"]>;

/** Reloads the developer's open pages after a restart by `tenon dev`. Uses nothing inline, for `secureHeaders()`. */
export class LiveReload {
  readonly #devtools: Devtools;
  /** Another one in each process. */
  readonly #id = randomUUID();

  constructor(devtools: Devtools) {
    this.#devtools = devtools;
  }

  /** Adds the script to a page of the developer. Not to the response of a form, which a reload would send again. */
  addTo(html: string, ctx: Context): string {
    if (ctx.method !== "GET" || !this.#devtools.admit(ctx)) return html;
    return addToPage(html, `<script async src="${scriptUrl}" data-start="${this.#id}"></script>\n`);
  }

  /** Before the kernel, so that no middleware of the application sees or refuses these requests. */
  wrap(kernel: RequestHandler): RequestHandler {
    return {
      handle: (incoming) => {
        if (incoming.method !== "GET" || !incoming.path.startsWith("/@tenon/")) return kernel.handle(incoming);
        if (!this.#devtools.hasSecret(incoming)) return kernel.handle(incoming);
        if (incoming.path === scriptPath)
          return toOutgoing(script, "text/javascript; charset=utf-8", "private, max-age=31536000, immutable");
        if (incoming.path === eventsPath) return toOutgoing(this.#events(incoming), "text/event-stream", "no-store");
        return kernel.handle(incoming);
      },
    };
  }

  /** Says which process this is, and stays open until it stops. */
  async *#events({ signal }: Incoming): AsyncGenerator<string> {
    yield `event: start\ndata: ${this.#id}\n\n`;
    const { promise, resolve } = Promise.withResolvers<void>();
    if (signal.aborted) return;
    signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
  }
}

function toOutgoing(body: string | AsyncIterable<string>, type: string, cacheControl: string): Outgoing {
  const outgoing = new Outgoing(200, body, type);
  outgoing.headers.setHeader("cache-control", cacheControl).setHeader("x-content-type-options", "nosniff");
  return outgoing;
}
