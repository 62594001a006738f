import type { Context, Outgoing } from "@tenon/core";
import { HttpError, Reply } from "@tenon/core";
import { addVary, describeValue, logError, toOutgoing } from "@tenon/core/platform";
import { prefersJson } from "./accept.ts";
import type { ErrorPages } from "./error-page.ts";
import { toFormFailure } from "./form-failure.ts";
import { type Renderer, sessionOf } from "./renderer.ts";
import type { Serializer } from "./serializer.ts";
import { Redirect, View } from "./view.ts";
import { isViewName, plainName, viewNameOf } from "./view-engine.ts";

export interface PagesParts {
  readonly renderer: Renderer;
  readonly errors: ErrorPages;
  readonly serializer: Serializer | undefined;
  /** Hosts that a redirect may lead to. */
  readonly redirects: ReadonlySet<string>;
  readonly development: boolean;
}

/** What handlers return and throw → pages, JSON for those who ask for it, and redirects. */
export class Pages {
  readonly #parts: PagesParts;

  constructor(parts: PagesParts) {
    this.#parts = parts;
  }

  async serialize(reply: Reply, ctx: Context): Promise<Outgoing> {
    const ready = await this.#toReady(await this.#meaningOf(reply, ctx), ctx);
    await sessionOf(ctx)?.finish(ctx); // after the rendering, which may have asked for a CSRF token
    return toOutgoing(ready, ctx);
  }

  async fail(error: unknown, ctx: Context): Promise<Outgoing> {
    logError(ctx, error);
    const ready = (await toFormFailure(error, ctx, sessionOf(ctx))) ?? (await this.#toErrorReply(error, ctx));
    await sessionOf(ctx)
      ?.finish(ctx)
      .catch((failure: unknown) => ctx.log.error({ err: failure }, "the session could not be saved"));
    return toOutgoing(ready, ctx);
  }

  async #meaningOf(reply: Reply, ctx: Context): Promise<Reply> {
    if (reply.kind !== "json" || reply instanceof View) return reply;
    const { value, status } = reply;
    const meant: unknown = value instanceof Reply ? value : await this.#parts.serializer?.(value, ctx);
    if (meant === undefined) return reply;
    if (!(meant instanceof Reply)) {
      throw new TypeError(
        `The serializer returned ${describeValue(meant)}. Return view(), redirect(), another reply, or undefined.`,
      );
    }
    // `ctx.status(422).json(view("posts/edit", post))`
    return meant instanceof View && meant.status === 200 ? new View(meant.name, meant.value, status) : meant;
  }

  /** Leaves only what needs no view: text, bytes, JSON, nothing. */
  async #toReady(reply: Reply, ctx: Context): Promise<Reply> {
    if (reply instanceof Redirect) return this.#redirect(reply, ctx);
    if (reply.kind !== "json") return reply;
    addVary(ctx.response(), "Accept");
    const { status, value } = reply;
    if (prefersJson(ctx.header("accept"))) return new Reply(status, "json", value);
    const message = reply instanceof View ? undefined : errorIn(reply);
    if (message !== undefined) return toHtml(await this.#parts.errors.render({ status, message }, ctx), status, ctx);
    const name = reply instanceof View ? reply.name : this.#nameFor(ctx);
    return toHtml(await this.#parts.renderer.render(ctx, name, value, status), status, ctx);
  }

  #nameFor(ctx: Context): string {
    const { route } = ctx;
    if (route === undefined) {
      throw new Error("A middleware returned data where no route matched: return view(name, data).");
    }
    const name = viewNameOf(route);
    if (this.#parts.renderer.has(name)) return name;
    const whose = `${route.controller}.${plainName(route.handler)} of ${route.method} ${route.path}`;
    if (!isViewName(name) || route.handler === "handler") {
      throw new Error(
        `${whose} returned data, and has no name that a view could have. Return view(name, data) instead.`,
      );
    }
    const missing = this.#parts.renderer.describeMissing(name);
    throw new Error(`${whose} returned data. ${missing} Add it, or return view(name, data).`);
  }

  async #toErrorReply(error: unknown, ctx: Context): Promise<Reply> {
    const { status, message, headers } =
      error instanceof HttpError ? error : new HttpError(500, "Internal Server Error");
    for (const [name, value] of Object.entries(headers)) ctx.response().setHeader(name, value);
    addVary(ctx.response(), "Accept");
    if (prefersJson(ctx.header("accept"))) return new Reply(status, "json", { error: message });
    return toHtml(await this.#parts.errors.render({ status, message, error }, ctx), status, ctx);
  }

  #redirect({ to, status }: Redirect, ctx: Context): Reply {
    const allowed = allowedUrl(to, this.#parts.redirects);
    const reply = ctx.redirect(allowed ?? to, { status, external: allowed !== undefined });
    if (this.#parts.development && to !== "/" && ctx.response().header("location") === "/") {
      ctx.log.warn(`redirect(${JSON.stringify(to)}) ${explainRefusal(to, ctx.request().host())}`);
    }
    return reply;
  }
}

/** The message of `{ error }`, with a status that says it is one. */
function errorIn({ status, value }: Reply): string | undefined {
  if (status < 400 || typeof value !== "object" || value === null || !("error" in value)) return undefined;
  return typeof value.error === "string" ? value.error : undefined;
}

/** The rest of a sentence that begins with the call. */
function explainRefusal(to: string, ownHost: string): string {
  if (!URL.canParse(to)) return 'is no path of this site and went to "/". A target starts with one "/".';
  const { host, pathname, search, hash } = new URL(to);
  if (host !== ownHost) {
    return 'leads away from this site and went to "/". A target on this site starts with "/"; list another host in web({ redirects }) to allow it.';
  }
  return `names the host of this site and went to "/". A target starts with "/": write ${JSON.stringify(pathname + search + hash)}.`;
}

function allowedUrl(to: string, hosts: ReadonlySet<string>): string | undefined {
  if (hosts.size === 0 || !URL.canParse(to)) return undefined;
  const { protocol, host, href } = new URL(to);
  return (protocol === "https:" || protocol === "http:") && hosts.has(host) ? href : undefined;
}

/** A content type that the handler has set stays: a view may be a feed or a calendar. */
function toHtml(html: string, status: number, ctx: Context): Reply {
  const headers = ctx.response();
  if (!headers.has("content-type")) headers.setHeader("content-type", "text/html; charset=utf-8");
  return new Reply(status, "text", html);
}
