import { BindError, type Context, type ErrorFormat, Reply } from "@tenon/core";
import {
  addVary,
  describeValue,
  formatError,
  isForm,
  isOriginOf,
  logError,
  parseWeights,
  toHttpError,
} from "@tenon/core/internal";
import { type Outgoing, toOutgoing } from "@tenon/core/platform";
import type { ErrorPages } from "./errors/error-page.ts";
import type { LiveReload } from "./live-reload.ts";
import { Session } from "./sessions/session.ts";
import type { Renderer } from "./views/renderer.ts";
import { Redirect, type Serializer, View } from "./views/view.ts";
import { isViewName, plainName, viewNameOf } from "./views/view-engine.ts";

export interface PagesParts {
  readonly renderer: Renderer;
  readonly errors: ErrorPages;
  readonly serializer: Serializer | undefined;
  /** Hosts that a redirect may lead to. */
  readonly redirects: ReadonlySet<string>;
  readonly development: boolean;
  /** How errors are written for clients that prefer JSON. */
  readonly format: ErrorFormat;
  /** Undefined in a process that was not started for development. */
  readonly reload: LiveReload | undefined;
}

/** What handlers return and throw → pages, JSON for clients that prefer it, and redirects. */
export class Pages {
  readonly #parts: PagesParts;

  constructor(parts: PagesParts) {
    this.#parts = parts;
  }

  async serialize(reply: Reply, ctx: Context): Promise<Outgoing> {
    const ready = await this.#toReady(await this.#meaningOf(reply, ctx), ctx);
    const session = Session.of(ctx);
    if (session !== undefined) await Session.finish(session); // after the rendering, which may need a CSRF token
    return toOutgoing(ready, ctx);
  }

  async fail(error: unknown, ctx: Context): Promise<Outgoing> {
    logError(ctx, error, !this.#parts.development);
    const session = Session.of(ctx);
    const ready = (await toFormReply(error, ctx, session)) ?? (await this.#toErrorReply(error, ctx));
    if (session !== undefined) {
      await Session.finish(session).catch((cause: unknown) => {
        ctx.log.error({ err: cause }, "the session could not be saved");
      });
    }
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

  /** Renders views and pages: the reply that is left is text, bytes, JSON or empty. */
  async #toReady(reply: Reply, ctx: Context): Promise<Reply> {
    if (reply instanceof Redirect) return this.#redirect(reply, ctx);
    if (reply.kind !== "json") return reply;
    addVary(ctx.response(), "Accept");
    const { status, value } = reply;
    if (wantsJson(ctx)) return new Reply(status, "json", value);
    const message = reply.error ?? guardErrorOf(reply);
    if (message !== undefined) {
      ctx.response().removeHeader("content-type"); // that of the error format
      return this.#toHtml(await this.#parts.errors.render({ status, message }, ctx), status, ctx);
    }
    const name = reply instanceof View ? reply.name : this.#nameFor(ctx);
    return this.#toHtml(await this.#parts.renderer.render(ctx, name, value, status), status, ctx);
  }

  /** A content type that the handler has set stays: a view may be a feed or a calendar. */
  #toHtml(html: string, status: number, ctx: Context): Reply {
    const headers = ctx.response();
    if (!headers.has("content-type")) headers.setHeader("content-type", "text/html; charset=utf-8");
    const isHtml = headers.header("content-type").startsWith("text/html");
    return new Reply(status, "text", isHtml ? (this.#parts.reload?.addTo(html, ctx) ?? html) : html);
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
    const httpError = toHttpError(error);
    const { status, message } = httpError;
    for (const [name, value] of Object.entries(httpError.headers)) ctx.response().setHeader(name, value);
    addVary(ctx.response(), "Accept");
    if (wantsJson(ctx)) {
      const { body, type } = formatError(httpError, this.#parts.format);
      ctx.response().setHeader("content-type", type);
      return new Reply(status, "json", await this.#parts.errors.explain(body, { status, message, error }, ctx));
    }
    return this.#toHtml(await this.#parts.errors.render({ status, message, error }, ctx), status, ctx);
  }

  #redirect({ to, status }: Redirect, ctx: Context): Reply {
    const allowed = allowedUrl(to, this.#parts.redirects);
    const reply = ctx.redirect(allowed ?? to, { status, external: allowed !== undefined });
    if (this.#parts.development && to !== "/" && ctx.response().header("location") === "/") {
      ctx.log.warn(`redirect(${JSON.stringify(to)}) ${explainTarget(to, ctx.request().host())}`);
    }
    return reply;
  }
}

/** The message of `ctx.status(403).json({ error })`: a guard that returns it must not get the view of the route. */
function guardErrorOf(reply: Reply): string | undefined {
  if (reply.status < 400 || reply.isDeclared || reply instanceof View) return undefined;
  const { error, ...others } = Object(reply.value) as { readonly error?: unknown }; // any value
  return typeof error === "string" && Object.keys(others).length === 0 ? error : undefined;
}

/** The rest of a sentence that begins with the call of `redirect()`. */
function explainTarget(to: string, ownHost: string): string {
  if (!URL.canParse(to)) return 'is not a path of this site and went to "/". A target starts with one "/".';
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

/**
 * A form that could not be bound redirects to the page that it was sent from, with the typed values and the issues.
 * Undefined where that is not possible: the response is then 400.
 */
async function toFormReply(error: unknown, ctx: Context, session: Session | undefined): Promise<Reply | undefined> {
  if (!(error instanceof BindError) || session === undefined || !isFormOfPage(ctx)) return undefined;
  const back = ownReferer(ctx);
  if (back === undefined) return undefined;
  try {
    const form = await ctx.request().form();
    await session.keepForm(form.toRecord(), error.issues);
    await Session.finish(session);
  } catch (cause) {
    // the form cannot be read, or the session store is down: the typed values are lost either way
    ctx.log.debug({ err: cause }, "the form could not be kept");
    return undefined;
  }
  return ctx.redirect(back, { status: 303 });
}

function isFormOfPage(ctx: Context): boolean {
  if (ctx.method === "GET" || ctx.method === "HEAD") return false; // the redirect could lead to the same error again
  return isForm(ctx.header("content-type")) && !wantsJson(ctx);
}

/** Path and query of the previous page, if it is on this host: a client can send any `Referer`. */
function ownReferer(ctx: Context): string | undefined {
  const referer = ctx.header("referer");
  if (!URL.canParse(referer)) return undefined;
  const { origin, pathname, search } = new URL(referer);
  return isOriginOf(origin, ctx.request().host()) ? pathname + search : undefined;
}

/** Whether this request gets JSON: for handlers that redirect a browser and return the reason to other clients. */
export function wantsJson(ctx: Context): boolean {
  return prefersJson(ctx.header("accept"));
}

/** Whether an `Accept` header prefers JSON to a page. Without a preference it is the page, and so it is for a browser. */
export function prefersJson(accept: string): boolean {
  if (!accept.toLowerCase().includes("json")) return false; // nearly all requests
  const weights = parseWeights(accept);
  const json = preferenceOf("application", "json", weights);
  const html = preferenceOf("text", "html", weights);
  if (json.weight !== html.weight) return json.weight > html.weight;
  return json.weight > 0 && json.precision > html.precision; // "application/json, */*" prefers JSON
}

/** The most precise range decides, in any order. `precision` is 0 when none matches, and 3 for the full name. */
function preferenceOf(type: string, subtype: string, weights: ReadonlyMap<string, number>) {
  const names = ["*/*", `${type}/*`, `${type}/${subtype}`];
  const index = names.findLastIndex((name) => weights.has(name));
  return { weight: weights.get(names[index] ?? "") ?? 0, precision: index + 1 };
}
