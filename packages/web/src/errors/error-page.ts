import type { Context } from "@tenon/core";
import type { PlatformParts } from "@tenon/core/platform";
import { addToPage, escapeHtml, toPlainPage, toPlainPolicy } from "../html.ts";
import type { Renderer } from "../views/renderer.ts";

interface RequestError {
  readonly status: number;
  /** What a client may read. */
  readonly message: string;
  /** What was thrown; absent when the handler returned `{ error }`. */
  readonly error?: unknown;
}

export interface ErrorPagesParts {
  readonly renderer: Renderer;
  /** Shown to the developer where a request was too large. */
  readonly limits: Parameters<Devtools["explain"]>[2];
  /** Explain errors to the developer. Undefined where there is none. */
  readonly devtools: PlatformParts["devtools"];
}

type Devtools = NonNullable<PlatformParts["devtools"]>;
type Explanation = Awaited<ReturnType<Devtools["explain"]>>;

const developerView = "errors/development";
const plainPolicy = toPlainPolicy();

/** The page of an error: the application's view, else a plain page. Never fails, whatever the view does. */
export class ErrorPages {
  readonly #parts: ErrorPagesParts;

  constructor(parts: ErrorPagesParts) {
    this.#parts = parts;
  }

  async render(requestError: RequestError, ctx: Context): Promise<string> {
    const explanation = await this.#explain(requestError, ctx);
    const { status, message } = requestError;
    const name = this.#findView(status, explanation !== undefined, ctx);
    if (name === undefined) return this.#renderPlain(requestError, explanation, ctx);
    try {
      const data = name === developerView ? await explanation?.toData() : undefined;
      const html = await this.#parts.renderer.renderError(ctx, name, data ?? { status, message }, status);
      const isMiss = status === 404 && ctx.route === undefined && name !== developerView;
      return explanation !== undefined && isMiss ? addToPage(html, explanation.toRouteList()) : html;
    } catch (error) {
      ctx.log.error({ err: error }, `the view ${name} failed`);
      // shows why the view failed, unless it is the developer's own view, whose error would hide the first error
      const shown = name === developerView ? explanation : await this.#explain({ ...requestError, error }, ctx);
      return this.#renderPlain(requestError, shown, ctx);
    }
  }

  /** The body of an error for a client that reads JSON. From 500 on the developer also reads why. */
  async explain(body: unknown, requestError: RequestError, ctx: Context): Promise<unknown> {
    const explanation = requestError.status < 500 ? undefined : await this.#explain(requestError, ctx);
    return explanation === undefined ? body : explanation.addTo(body);
  }

  #explain(requestError: RequestError, ctx: Context) {
    return this.#parts.devtools?.explain(requestError, ctx, this.#parts.limits);
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

  async #renderPlain({ status, message }: RequestError, explanation: Explanation, ctx: Context): Promise<string> {
    const { html, policy } = (await explanation?.toPage()) ?? {
      policy: plainPolicy,
      html: toPlainPage(
        message,
        `<main class="small">
<p class="status">${status}</p>
<h1>${escapeHtml(message)}</h1>
<p><a href="/">Go to the start page</a></p>
</main>`,
      ),
    };
    ctx.response().setHeader("content-security-policy", policy);
    return html;
  }
}
