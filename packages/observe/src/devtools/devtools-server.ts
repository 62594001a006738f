import type { OnStart, OnStop } from "@tenon/core";
import type { Devtools, RequestHandler } from "@tenon/core/platform";
import type { DevtoolsHandler } from "./devtools-handler.ts";
import { type DevtoolsSettings, devtoolsPath } from "./parts.ts";

/** The developer tools of an application. Nothing is installed, and nothing more is loaded, in production. */
export class DevtoolsServer implements Devtools, OnStart, OnStop {
  readonly path = devtoolsPath;
  readonly #settings: DevtoolsSettings;
  #next: RequestHandler | undefined;
  #handler: DevtoolsHandler | undefined;

  constructor(settings: DevtoolsSettings) {
    this.#settings = settings;
    settings.development.install(this);
  }

  /** Not called in production, and not on platforms without HTTP. */
  wrap(next: RequestHandler): RequestHandler {
    this.#next = next;
    return { handle: (incoming) => (this.#handler ?? next).handle(incoming) };
  }

  async onStart(): Promise<void> {
    if (this.#next === undefined) return;
    const { DevtoolsHandler } = await import("./devtools-handler.ts");
    this.#handler = new DevtoolsHandler(this.#settings, this.#next);
  }

  onStop(): void {
    this.#handler?.stop();
  }
}
