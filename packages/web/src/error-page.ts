import type { Context, RouteInfo } from "@tenon/core";
import type { RequestLimits } from "@tenon/core/platform";
import { toDeveloperPage } from "./developer-page.ts";
import { type Failure, toFailureReport } from "./failure-report.ts";
import { escapeHtml } from "./html.ts";
import { isLocalRequest } from "./local-request.ts";
import { plainPagePolicy, toPlainPage } from "./plain-page.ts";
import type { Renderer } from "./renderer.ts";

export interface ErrorPagesParts {
  readonly renderer: Renderer;
  /** Shows requests of this machine why they failed. */
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
    const forDeveloper = this.#parts.development && isLocalRequest(ctx);
    const name = this.#findView(failure.status, forDeveloper, ctx);
    if (name === undefined) return this.#renderPlain(failure, forDeveloper, ctx);
    try {
      return await this.#parts.renderer.renderError(ctx, name, this.#dataFor(name, failure, ctx), failure.status);
    } catch (error) {
      ctx.log.error({ err: error }, `the view ${name} failed`);
      // whoever writes that view wants to know why; of the two errors the developer's own view can only hide one
      return this.#renderPlain(name === developerView ? failure : { ...failure, error }, forDeveloper, ctx);
    }
  }

  #findView(status: number, forDeveloper: boolean, ctx: Context): string | undefined {
    try {
      return this.#viewFor(status, forDeveloper);
    } catch (error) {
      ctx.log.error({ err: error }, "the views of errors could not be looked for");
      return undefined;
    }
  }

  /** A view of the application would hide from its developer why a request failed, unless the request itself was at fault. */
  #viewFor(status: number, forDeveloper: boolean): string | undefined {
    const own = forDeveloper && status >= 500 ? [] : [`errors/${status}`, "errors/error"];
    return [...own, ...(forDeveloper ? [developerView] : [])].find((name) => this.#parts.renderer.has(name));
  }

  #dataFor(name: string, failure: Failure, ctx: Context): object {
    if (name === developerView) return toFailureReport(failure, ctx, this.#parts);
    return { status: failure.status, message: failure.message };
  }

  #renderPlain(failure: Failure, forDeveloper: boolean, ctx: Context): string {
    ctx.response().setHeader("content-security-policy", plainPagePolicy);
    if (forDeveloper) return toDeveloperPage(toFailureReport(failure, ctx, this.#parts));
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
