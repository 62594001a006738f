import { randomUUID } from "node:crypto";
import {
  api,
  array,
  boolean,
  type Context,
  dto,
  endpoint,
  HttpError,
  type Middleware,
  type Next,
  type Routes,
  string,
} from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { moduleOf } from "../../../core/test/support/transports.ts";

interface ArticlesOptions {
  /** Whether drafts are shown to all. */
  readonly hasOpenDrafts?: boolean;
  /** Whether the first response of the list is sent to all, for ever. */
  readonly isCached?: boolean;
  /** Whether the responses of the list are sent to all until an article is created or deleted. */
  readonly isCachedForAll?: boolean;
  /** Which write of a published article is open to all. */
  readonly open?: "PUT" | "DELETE";
  /** Whether no article can be read by its id. */
  readonly isClosed?: boolean;
}

const Article = dto("Article", { id: string("required"), text: string("required"), published: boolean("required") });
const params = dto({ id: string("required") });
const errors = { 404: "Not Found" } as const;

class Login implements Middleware {
  readonly contract = {
    security: { user: { type: "apiKey", in: "header", name: "x-user" } },
    errors: { 401: "Unauthorized" },
  } as const;

  handle(ctx: Context, next: Next) {
    if (ctx.header("x-user") === "") throw new HttpError(401, "Unauthorized");
    return next();
  }
}

/** Articles that all users may read once they are published, and favorites of them. */
export function createArticlesApp({
  hasOpenDrafts = false,
  isCached = false,
  isCachedForAll = false,
  open,
  isClosed = false,
}: ArticlesOptions) {
  const articles = new Map<string, { id: string; text: string; published: boolean; user: string }>();
  const favorites = new Set<string>();
  let cached: unknown[] | undefined;
  const userOf = (ctx: Context) => ctx.header("x-user");
  const find = (ctx: Context, id: string) => {
    const article = articles.get(id);
    const isShown = article?.user === userOf(ctx) || article?.published === true || hasOpenDrafts;
    if (article === undefined || !isShown || isClosed) throw new HttpError(404, "Not Found");
    return article;
  };
  const findOwn = (ctx: Context, id: string, method: "PUT" | "DELETE") => {
    const article = find(ctx, id);
    if (article.user !== userOf(ctx) && !(open === method && article.published)) throw new HttpError(404, "Not Found");
    return article;
  };
  const routes: Routes = [
    {
      method: "POST",
      path: "/articles",
      handler: endpoint(
        { operationId: "articles.create", body: Article.pick("text", "published"), returns: { 201: Article } },
        (ctx, { body }) => {
          const article = { ...body, id: randomUUID(), user: userOf(ctx) };
          articles.set(article.id, article);
          if (!isCached) cached = undefined;
          return article;
        },
      ),
    },
    {
      method: "GET",
      path: "/articles",
      handler: endpoint({ operationId: "articles.index", returns: array(Article) }, (ctx) => {
        const own = [...articles.values()].filter(({ user }) => user === userOf(ctx));
        cached ??= own;
        return isCached || isCachedForAll ? (cached as typeof own) : own; // as it was kept
      }),
    },
    {
      method: "GET",
      path: "/articles/:id",
      handler: endpoint({ operationId: "articles.show", params, returns: Article, errors }, (ctx, input) =>
        find(ctx, input.params.id),
      ),
    },
    {
      method: "PUT",
      path: "/articles/:id",
      handler: endpoint(
        { operationId: "articles.update", params, body: Article.pick("text"), returns: Article, errors },
        (ctx, input) => Object.assign(findOwn(ctx, input.params.id, "PUT"), input.body),
      ),
    },
    {
      method: "DELETE",
      path: "/articles/:id",
      handler: endpoint({ operationId: "articles.delete", params, returns: { 204: null }, errors }, (ctx, input) => {
        articles.delete(findOwn(ctx, input.params.id, "DELETE").id);
        if (!isCached) cached = undefined;
      }),
    },
    {
      method: "POST",
      path: "/articles/:id/favorite",
      handler: endpoint({ operationId: "favorites.create", params, returns: { 204: null }, errors }, (ctx, input) => {
        favorites.add(`${userOf(ctx)} ${find(ctx, input.params.id).id}`);
      }),
    },
    {
      method: "DELETE",
      path: "/articles/:id/favorite",
      handler: endpoint({ operationId: "favorites.delete", params, returns: { 204: null }, errors }, (ctx, input) => {
        if (!favorites.delete(`${userOf(ctx)} ${input.params.id}`)) throw new HttpError(404, "Not Found");
      }),
    },
  ];
  const guarded = routes.map((route) => ({ ...route, middlewares: [Login] }));
  return createTestApp(moduleOf(guarded as Routes), api(), { log: { level: "silent" } });
}
