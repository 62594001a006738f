import type { Context } from "@tenon/core";
import { trace } from "@tenon/core/internal";
import { emptyPageState, type PageState } from "../sessions/page-state.ts";
import { Session } from "../sessions/session.ts";
import { viewTracing } from "../tracing.ts";
import { Page } from "./page.ts";
import { describeMissingView, type ViewEngine } from "./view-engine.ts";

export interface RendererParts {
  readonly engine: ViewEngine;
  readonly share: ((ctx: Context) => object | Promise<object>) | undefined;
  readonly assetUrl: ((name: string) => string) | undefined;
}

/** A view, its data and the request → HTML. */
export class Renderer {
  readonly #parts: RendererParts;

  constructor(parts: RendererParts) {
    this.#parts = parts;
  }

  has(name: string): boolean {
    return this.#parts.engine.has(name);
  }

  describeMissing(name: string): string {
    return describeMissingView(this.#parts.engine, name);
  }

  async render(ctx: Context, name: string, data: unknown, status: number): Promise<string> {
    if (!this.has(name)) throw new Error(this.describeMissing(name));
    const shared = await this.#share(ctx);
    const isRead = ctx.method === "GET" || ctx.method === "HEAD";
    return this.#render(ctx, name, data, status, shared, await takePage(ctx, isRead || status >= 400));
  }

  /** For error pages: a part that failed for the page itself must not fail its error page too. */
  async renderError(ctx: Context, name: string, data: unknown, status: number): Promise<string> {
    const shared = await this.#share(ctx).catch((error: unknown) => {
      ctx.log.warn({ err: error }, "share() failed for an error page");
      return {};
    });
    return this.#render(ctx, name, data, status, shared, await takePage(ctx, true));
  }

  async #share(ctx: Context): Promise<object> {
    return (await this.#parts.share?.(ctx)) ?? {};
  }

  async #render(
    ctx: Context,
    name: string,
    data: unknown,
    status: number,
    shared: object,
    state: PageState,
  ): Promise<string> {
    const { engine, assetUrl } = this.#parts;
    const page = new Page({ ctx, status, shared, state, assetUrl, session: Session.of(ctx) });
    const run = () => engine.render(name, { data, page });
    return viewTracing.hasSubscribers ? trace(viewTracing, { view: name }, run) : run();
  }
}

/** A page that only shows something, or why a request failed, is shown without its messages while the store is down. */
async function takePage(ctx: Context, mayBeEmpty: boolean): Promise<PageState> {
  const session = Session.of(ctx);
  if (session === undefined) return emptyPageState;
  try {
    return await Session.takePage(session);
  } catch (error) {
    if (!mayBeEmpty) throw error;
    ctx.log.warn({ err: error }, "the session could not be read: the page is shown without its messages");
    return Session.takePage(session); // the messages of this request need no store
  }
}
