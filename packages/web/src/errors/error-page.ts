import type { Context } from "@tenon/core";
import type { Devtools } from "@tenon/core/internal";
import { addToPage, developerPagePolicy, escapeHtml, plainPagePolicy, toPlainPage } from "../html.ts";
import type { Renderer } from "../views/renderer.ts";
import { toDeveloperPage, toRouteList } from "./developer-page.ts";
import { type Failure, type ReportSources, toFailureReport } from "./failure-report.ts";
import { addSummary } from "./failure-summary.ts";

export interface ErrorPagesParts extends ReportSources {
  readonly renderer: Renderer;
  /** Decide who gets the developer page. Undefined where there is none. */
  readonly devtools: Pick<Devtools, "admit"> | undefined;
}

const developerView = "errors/development";

/** The page of an error: the application's view, else a plain page. Never fails, whatever the view does. */
export class ErrorPages {
  readonly #parts: ErrorPagesParts;

  constructor(parts: ErrorPagesParts) {
    this.#parts = parts;
  }

  async render(failure: Failure, ctx: Context): Promise<string> {
    const forDeveloper = this.#parts.devtools?.admit(ctx) ?? false;
    const name = this.#findView(failure.status, forDeveloper, ctx);
    if (name === undefined) return this.#renderPlain(failure, forDeveloper, ctx);
    try {
      const data = await this.#dataFor(name, failure, ctx);
      const html = await this.#parts.renderer.renderError(ctx, name, data, failure.status);
      const isMiss = failure.status === 404 && ctx.route === undefined && name !== developerView;
      return forDeveloper && isMiss ? addToPage(html, toRouteList(this.#parts.routes())) : html;
    } catch (error) {
      ctx.log.error({ err: error }, `the view ${name} failed`);
      // shows why the view failed, unless it is the developer's own view, whose failure would hide the first error
      return this.#renderPlain(name === developerView ? failure : { ...failure, error }, forDeveloper, ctx);
    }
  }

  /** The body of an error for a client that reads JSON. From 500 on the developer also reads why. */
  async explain(body: unknown, failure: Failure, ctx: Context): Promise<unknown> {
    if (failure.status < 500 || !(this.#parts.devtools?.admit(ctx) ?? false)) return body;
    return addSummary(body, await toFailureReport(failure, ctx, this.#parts), ctx);
  }

  #findView(status: number, forDeveloper: boolean, ctx: Context): string | undefined {
    // from 500 on, the application's view would hide the cause from its developer
    const own = forDeveloper && status >= 500 ? [] : [`errors/${status}`, "errors/error"];
    try {
      return [...own, ...(forDeveloper ? [developerView] : [])].find((name) => this.#parts.renderer.has(name));
    } catch (error) {
      ctx.log.error({ err: error }, "the engine failed to look up the error views");
      return undefined;
    }
  }

  async #dataFor(name: string, failure: Failure, ctx: Context): Promise<object> {
    if (name === developerView) return toFailureReport(failure, ctx, this.#parts);
    return { status: failure.status, message: failure.message };
  }

  async #renderPlain(failure: Failure, forDeveloper: boolean, ctx: Context): Promise<string> {
    const policy = forDeveloper ? developerPagePolicy : plainPagePolicy;
    ctx.response().setHeader("content-security-policy", policy);
    if (forDeveloper) return toDeveloperPage(await toFailureReport(failure, ctx, this.#parts));
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
