import type { Context } from "../context/context.ts";
import type { RequestLimits } from "../context/limits.ts";
import type { RouteInfo } from "../route/table.ts";
import { toDeveloperPage } from "./developer-page.ts";
import { type Failure, toFailureReport } from "./failure-report.ts";
import { escapeHtml } from "./html.ts";
import { plainPagePolicy, toPlainPage } from "./plain-page.ts";
import type { Renderer } from "./renderer.ts";

export interface ErrorPagesParts {
  readonly renderer: Renderer;
  readonly development: boolean;
  /** Shown to a developer whose request was too large. */
  readonly limits: RequestLimits;
  /** Shown to a developer whose request met none of them. */
  readonly routes: () => readonly RouteInfo[];
}

const developerView = "errors/development";

/** The page of a status: the application's view, else one that needs none. Never fails, whatever the view does. */
export class ErrorPages {
  readonly #parts: ErrorPagesParts;

  constructor(parts: ErrorPagesParts) {
    this.#parts = parts;
  }

  async render(failure: Failure, ctx: Context): Promise<string> {
    const name = this.#findView(failure.status, ctx);
    if (name === undefined) return this.#renderPlain(failure, ctx);
    try {
      return await this.#parts.renderer.renderError(ctx, name, this.#dataFor(name, failure, ctx), failure.status);
    } catch (error) {
      ctx.log.error({ err: error }, `the view ${name} failed`);
      // whoever writes that view wants to know why; of the two errors the developer's own view can only hide one
      return this.#renderPlain(name === developerView ? failure : { ...failure, error }, ctx);
    }
  }

  #findView(status: number, ctx: Context): string | undefined {
    try {
      return this.#viewFor(status);
    } catch (error) {
      ctx.log.error({ err: error }, "the views of errors could not be looked for");
      return undefined;
    }
  }

  /** In development a view of the application would hide why a request failed, unless the request itself was at fault. */
  #viewFor(status: number): string | undefined {
    const { renderer, development } = this.#parts;
    const own = development && status >= 500 ? [] : [`errors/${status}`, "errors/error"];
    return [...own, ...(development ? [developerView] : [])].find((name) => renderer.has(name));
  }

  #dataFor(name: string, failure: Failure, ctx: Context): object {
    if (name === developerView) return toFailureReport(failure, ctx, this.#parts);
    return { status: failure.status, message: failure.message };
  }

  #renderPlain(failure: Failure, ctx: Context): string {
    ctx.response().setHeader("content-security-policy", plainPagePolicy);
    if (this.#parts.development) return toDeveloperPage(toFailureReport(failure, ctx, this.#parts));
    const { status, message } = failure;
    return toPlainPage(
      message,
      `<main class="small">
<p class="status">${status}</p>
<h1>${escapeHtml(message)}</h1>
<p><a href="/">Go to the start page</a></p>
</main>`,
    );
  }
}
