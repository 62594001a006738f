import {
  type ApiKeyRecord,
  ApiKeys,
  Policy,
  RecentLogins,
  SessionAuth,
  type SessionEntry,
  Sessions,
} from "@tenon/auth";
import {
  type Context,
  HttpError,
  inject,
  type Middleware,
  type MiddlewareContract,
  type MiddlewareFunction,
  type Next,
} from "@tenon/core";
import { redirect, wantsJson } from "@tenon/web";
import { AccountSettings } from "./settings.ts";

/** The application's guard of `accountsModule({ guard })`, which sets `user_id`. */
export class AccountGuard implements Middleware {
  readonly #guard = toMiddleware(inject(AccountSettings).guard);
  readonly contract: readonly [MiddlewareContract<"user_id">, ...MiddlewareContract[]] = [
    { sets: ["user_id"] },
    ...[this.#guard.contract ?? []].flat(),
  ];

  handle(ctx: Context, next: Next) {
    return this.#guard.handle(ctx, next);
  }
}

function toMiddleware(guard: AccountSettings["guard"]): Middleware {
  return typeof guard === "function" ? inject(guard) : guard;
}

/** The guard of pages: `SessionAuth`, but a browser that opens a page is redirected to the login and from there back. */
export class PageLogin implements Middleware {
  readonly #auth = inject(SessionAuth);
  readonly #login = inject(AccountSettings).paths.login;
  readonly contract = this.#auth.contract;

  async handle(ctx: Context, next: Next) {
    let isLoggedIn = false;
    try {
      return await this.#auth.handle(ctx, () => {
        isLoggedIn = true;
        return next();
      });
    } catch (error) {
      const isRefused = !isLoggedIn && error instanceof HttpError && error.status === 401;
      const isForm = ctx.method !== "GET" && ctx.method !== "HEAD"; // a redirect cannot send it again
      if (!isRefused || isForm || wantsJson(ctx)) throw error;
      return redirect(`${this.#login}?next=${encodeURIComponent(toTarget(ctx))}`);
    }
  }
}

/** The path with its query, which has the token of a link. */
function toTarget(ctx: Context): string {
  const query = new URLSearchParams(ctx.request().queries()).toString();
  return query === "" ? ctx.path : `${ctx.path}?${query}`;
}

const notRecent = "Recent login required";

/** `RecentLogin` of pages: redirects to the page that asks for the password, and from there back. List it after `PageLogin`. */
export class RecentPageLogin implements Middleware {
  readonly contract: MiddlewareContract = { errors: { 403: notRecent } };
  readonly #recent = inject(RecentLogins);

  async handle(ctx: Context, next: Next) {
    if (await this.#recent.isRecent(ctx)) return next();
    if (wantsJson(ctx)) throw new HttpError(403, notRecent);
    return redirect(`/account/confirm?next=${encodeURIComponent(toFormPath(ctx))}`);
  }
}

/** The page of the form: a redirect cannot send the form again. */
function toFormPath({ method, path }: Context): string {
  if (method === "GET" || method === "HEAD") return path;
  if (path === "/account") return "/account/delete";
  return path.startsWith("/account/second-factor") ? "/account/second-factor" : path;
}

/** What the user of this request has; that of others does not exist for it. */
abstract class OwnPolicy<T extends { readonly id: string }> extends Policy<T> {
  readonly missing = 404;
  readonly denied = 404;
  protected abstract readonly owned: { list(userId: string): Promise<T[]> };

  async load(id: string, ctx: Context) {
    return (await this.owned.list(ctx.get("user_id"))).find((one) => one.id === id);
  }

  /** `load()` finds only what this user has. */
  allow() {
    return true;
  }
}

export class OwnSession extends OwnPolicy<SessionEntry> {
  readonly name = "session owner";
  override readonly errors = { 404: "Session not found" };
  protected readonly owned = inject(Sessions);
}

export class OwnApiKey extends OwnPolicy<ApiKeyRecord> {
  readonly name = "API key owner";
  override readonly errors = { 404: "API key not found" };
  protected readonly owned = inject(ApiKeys);
}

/** Responses of these routes belong to one user, and some hold a secret: no cache may store them, errors included. */
export const noStore: MiddlewareFunction = function noStore(ctx, next) {
  ctx.onReply(({ headers }) => {
    headers.setHeader("cache-control", "no-store");
    // the URL of a link has the token: no other site may read it in a Referer. With "no-referrer", browsers would send
    // the form with `Origin: null`, which the CSRF check refuses
    headers.setHeader("referrer-policy", "same-origin");
  });
  return next();
};
