import type { Devtools } from "@tenon/core/internal";
import type { RequestHandler } from "@tenon/core/platform";
import type { DevtoolsHandler } from "./devtools-handler.ts";
import { type DevtoolsSettings, devtoolsPath } from "./parts.ts";

/** Passes requests to the developer tools from the start of the application on. */
export class DevtoolsServer implements Devtools {
  readonly path = devtoolsPath;
  readonly #settings: DevtoolsSettings;
  #next: RequestHandler | undefined;
  #handler: DevtoolsHandler | undefined;

  constructor(settings: DevtoolsSettings) {
    this.#settings = settings;
  }

  wrap(next: RequestHandler): RequestHandler {
    this.#next = next;
    return { handle: (incoming) => (this.#handler ?? next).handle(incoming) };
  }

  /** The rest is loaded here: a platform without HTTP, and a process that only starts workers, need none of it. */
  async onStart(): Promise<void> {
    if (this.#next === undefined) return;
    const { DevtoolsHandler } = await import("./devtools-handler.ts");
    this.#handler = new DevtoolsHandler(this.#settings, this.#next);
  }

  onStop(): void {
    this.#handler?.stop();
  }
}
