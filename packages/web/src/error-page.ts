import type { Context, RouteInfo } from "@tenon/core";
import type { RequestLimits } from "@tenon/core/platform";
import { toDeveloperPage } from "./developer-page.ts";
import { type Failure, toFailureReport } from "./failure-report.ts";
import { escapeHtml, plainPagePolicy, toPlainPage } from "./html.ts";
import type { Renderer } from "./renderer.ts";

export interface ErrorPagesParts {
  readonly renderer: Renderer;
  /** Shows the developer page to requests of this machine. */
  readonly development: boolean;
  /** Shown to a developer whose request was too large. */
  readonly limits: RequestLimits;
  /** Shown to a developer whose request matched none of them. */
  readonly routes: () => readonly RouteInfo[];
}

const developerView = "errors/development";

/** The page of an error: the application's view, else a plain page. Never fails, whatever the view does. */
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
      // shows why the view failed, unless it is the developer's own view, whose failure would hide the first error
      return this.#renderPlain(name === developerView ? failure : { ...failure, error }, forDeveloper, ctx);
    }
  }

  #findView(status: number, forDeveloper: boolean, ctx: Context): string | undefined {
    try {
      return this.#viewFor(status, forDeveloper);
    } catch (error) {
      ctx.log.error({ err: error }, "the engine failed to look up the error views");
      return undefined;
    }
  }

  /** From 500 on, the application's view would hide the cause from its developer. */
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

/** Headers that proxies and tunnels add: standard ones, those of vendors, and anything about a client's address. */
const forwardingHeader =
  /^(?:(?:x-)?forwarded(?:-.+)?|via|x-real-ip|cdn-loop|x-original-.+|x-envoy-.+|(?:.+-)?client-?ip|cf-connecting-.+)$/;
const loopbackPeer = /^(?:127\.[0-9.]+|::1)$/;
const loopbackHost = /^(?:(?:[^:]+\.)?localhost\.?|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]+)?$/i;

/**
 * Whether a request was made on this machine. A proxy or a tunnel has a loopback address too, but adds headers or has
 * another `Host`; the `Host` also reveals a page whose name was rebound to 127.0.0.1 (DNS rebinding). A request that was
 * passed to `app.fetch` has no peer.
 */
export function isLocalRequest(ctx: Context): boolean {
  const request = ctx.request();
  const peer = request.peer();
  if (peer !== undefined && !loopbackPeer.test(peer)) return false;
  // an absolute target replaces the Host (RFC 9112, 3.2.2), so both must name this machine
  const headers = request.headers();
  const hosts = [request.host(), headers.host ?? request.host()];
  return (
    hosts.every((host) => loopbackHost.test(host)) && !Object.keys(headers).some((name) => forwardingHeader.test(name))
  );
}
