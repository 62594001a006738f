import type { Context } from "@tenon/core";
import { isSafe } from "./csrf.ts";
import { emptyPageState, Page, type PageSession, type PageState } from "./page.ts";
import { Session } from "./session.ts";
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
    return this.#render(ctx, name, data, status, await this.#share(ctx), await takePage(ctx, isSafe(ctx.method)));
  }

  /** For error pages: what already failed for the page itself must not keep its error from being shown. */
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
    const page = new Page({ ctx, status, shared, state, assetUrl, session: sessionOf(ctx) });
    return engine.render(name, { data, page });
  }
}

/** Undefined without WebSessions, whatever an application keeps under that name itself. */
export function sessionOf(ctx: Context): PageSession | undefined {
  const session: unknown = ctx.get("session");
  return session instanceof Session ? session : undefined;
}

/** A page that only shows something is better shown without its messages than not at all. */
async function takePage(ctx: Context, mayBeEmpty: boolean): Promise<PageState> {
  const session = sessionOf(ctx);
  if (session === undefined) return emptyPageState;
  try {
    return await session.takePage();
  } catch (error) {
    if (!mayBeEmpty) throw error;
    ctx.log.warn({ err: error }, "the session could not be read: the page is shown without what waits for it");
    return session.takePage(); // what this request left itself needs no store
  }
}
