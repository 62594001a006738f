import type { Context, ErrorFormat } from "@tenon/core";
import { logError, toHttpError } from "@tenon/core/internal";
import {
  type Incoming,
  type Outgoing,
  type PlatformParts,
  type RequestHandler,
  toOutgoing,
} from "@tenon/core/platform";
import { readManifest, toBanner } from "./banner.ts";
import { collectStores } from "./collect-stores.ts";
import type { DevtoolsHandler } from "./devtools-handler.ts";
import type { ReportSources, RequestError } from "./errors/error-report.ts";
import type { Explanation } from "./errors/explanation.ts";
import { toOverview } from "./overview.ts";
import { type DevtoolsSettings, devtoolsPath } from "./parts.ts";

type Devtools = NonNullable<PlatformParts["devtools"]>;
type Limits = Parameters<Devtools["explain"]>[2];

/** Recognises the developer, and passes requests to the developer tools from the start of the application on. */
export class DevtoolsServer implements Devtools {
  readonly #settings: DevtoolsSettings;
  #next: RequestHandler | undefined;
  #handler: DevtoolsHandler | undefined;

  constructor(settings: DevtoolsSettings) {
    this.#settings = settings;
  }

  wrap(next: RequestHandler): RequestHandler {
    this.#next = next;
    const { access } = this.#settings;
    // first the link, so that nothing records the secret in it
    return { handle: (incoming) => access.signIn(incoming) ?? (this.#handler ?? next).handle(incoming) };
  }

  hasSecret(incoming: Incoming): boolean {
    return this.#settings.access.hasSecret(incoming);
  }

  admit(ctx: Context): boolean {
    return this.#settings.access.admit(ctx);
  }

  toBanner({ url, browserUrl, docs }: Parameters<Devtools["toBanner"]>[0]): string {
    const { access, introspection } = this.#settings;
    const routes = introspection.routes.list();
    const link = access.toLink(`${browserUrl}${devtoolsPath}`);
    const stores = collectStores(introspection.instances(), "place");
    return toBanner({ url, routes, docs, link, stores }, readManifest());
  }

  miss(ctx: Context, docs: string | undefined): unknown {
    const { access, introspection } = this.#settings;
    const overview = toOverview(ctx, introspection, docs);
    return overview === undefined || !access.admit(ctx) ? undefined : overview;
  }

  explain(requestError: RequestError, ctx: Context, limits: Limits): Promise<Explanation> | undefined {
    return this.admit(ctx) ? this.#explain(requestError, ctx, limits) : undefined;
  }

  fail(error: unknown, ctx: Context, format: ErrorFormat): Promise<Outgoing> | undefined {
    if (toHttpError(error).status < 500 || !this.admit(ctx)) return undefined;
    logError(ctx, error);
    return this.#reply(error, ctx, format);
  }

  // the pages of errors are loaded with the first one: they need the web platform

  async #explain(requestError: RequestError, ctx: Context, limits: Limits): Promise<Explanation> {
    const { Explanation } = await import("./errors/explanation.ts");
    return new Explanation(requestError, ctx, { ...this.#sources(), limits });
  }

  async #reply(error: unknown, ctx: Context, format: ErrorFormat): Promise<Outgoing> {
    const { toDeveloperReply } = await import("./errors/developer-reply.ts");
    return toOutgoing(await toDeveloperReply(error, ctx, format, this.#sources()), ctx);
  }

  #sources(): ReportSources {
    const { editor, introspection } = this.#settings;
    return {
      routes: () => introspection.routes.list(),
      editor,
      requestPage: () => this.#handler?.requestPage,
    };
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
