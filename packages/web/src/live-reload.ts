import { randomUUID } from "node:crypto";
import { type Incoming, Outgoing, type RequestHandler } from "@tenon/core/platform";
import { addToPage } from "./html.ts";

const scriptPath = "/@tenon/reload.js";
const eventsPath = "/@tenon/events";

/**
 * Runs in the browser. Connects only while the page is visible, because a browser opens few connections to one host,
 * and by itself after a failure, because not every browser tries a refused connection again.
 */
const script = `(() => {
  const page = new URL(document.currentScript.src).searchParams.get("id");
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

/** Reloads the open pages of an application that `tenon dev` has restarted. Uses nothing inline, for `pageHeaders()`. */
export class LiveReload {
  /** Another one in each process. */
  readonly #id = randomUUID();

  /** Adds the script to a page. Not to the response of a form, which a reload would send again. */
  addTo(html: string, method: string): string {
    return method === "GET" ? addToPage(html, `<script async src="${scriptPath}?id=${this.#id}"></script>\n`) : html;
  }

  /** Before the kernel, so that no middleware of the application sees or refuses these requests. */
  wrap(kernel: RequestHandler): RequestHandler {
    return {
      handle: (incoming) => {
        if (incoming.method !== "GET" || !incoming.path.startsWith("/@tenon/")) return kernel.handle(incoming);
        if (incoming.path === scriptPath) return toPrivate(new Outgoing(200, script, "text/javascript; charset=utf-8"));
        if (incoming.path === eventsPath)
          return toPrivate(new Outgoing(200, this.#events(incoming), "text/event-stream"));
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

function toPrivate(outgoing: Outgoing): Outgoing {
  outgoing.headers.setHeader("cache-control", "no-store").setHeader("x-content-type-options", "nosniff");
  return outgoing;
}
