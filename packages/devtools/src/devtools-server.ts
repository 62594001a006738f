import type { Context, ErrorFormat } from "@tenon/core";
import { type Devtools, defaultRequestLimits } from "@tenon/core/internal";
import { type Outgoing, type RequestHandler, toOutgoing } from "@tenon/core/platform";
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

  requestPage(): string | undefined {
    return this.#handler?.requestPage;
  }

  async respondToError(error: unknown, ctx: Context, format: ErrorFormat): Promise<Outgoing> {
    const { toDeveloperReply } = await import("@tenon/web/platform");
    const { editor, introspection } = this.#settings;
    const reply = await toDeveloperReply(error, ctx, {
      routes: () => introspection.routes.list(),
      limits: defaultRequestLimits,
      editor,
      requestPage: () => this.requestPage(),
      format,
    });
    return toOutgoing(reply, ctx);
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
