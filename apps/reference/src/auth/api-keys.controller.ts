import { ApiKeyAuth, ApiKeys, BearerAuth, invalidToken } from "@tenon/auth";
import { array, type Context, endpoint, group, inject, optional, routes } from "@tenon/core";
import { bodyLimit } from "@tenon/core/middleware";
import { storeFailures } from "../database/store-failures.ts";
import { UsersService } from "../users/users.service.ts";
import { ApiKey, CreateApiKeyDTO, maxAuthBody, NewApiKey } from "./auth.dto.ts";
import { noStore } from "./no-store.ts";

const tags = ["API keys"];

/** The API keys of the user, and a route that requires one. */
export class ApiKeysController {
  readonly #keys = inject(ApiKeys);
  readonly #users = inject(UsersService);

  routes() {
    return routes([
      group(
        "/auth/api-keys",
        [
          { method: "GET", path: "/", handler: this.index },
          { method: "POST", path: "/", handler: this.create },
          { method: "DELETE", path: "/:id", handler: this.delete },
        ],
        { middlewares: [bodyLimit(maxAuthBody), noStore, BearerAuth] },
      ),
      { method: "GET", path: "/auth/key", handler: this.show, middlewares: [noStore, ApiKeyAuth] },
    ]);
  }

  readonly index = endpoint(
    { summary: "The user's API keys, newest first", tags, returns: array(ApiKey), errors: { 500: storeFailures } },
    (ctx) => this.#keys.list(ctx.get("user_id")),
  );

  readonly create = endpoint(
    {
      summary: "Create an API key, which is shown once",
      tags,
      body: optional(CreateApiKeyDTO),
      returns: { 201: NewApiKey },
      errors: { 500: storeFailures },
    },
    async (ctx, { body: { name, expires_at } = {} }) => {
      if ((await this.#users.find(ctx.get("user_id"))) === undefined) return invalidToken(ctx);
      const { key, record } = await this.#keys.create(ctx.get("user_id"), {
        ...(name === undefined ? {} : { name }),
        ...(expires_at === undefined ? {} : { expiresAt: expires_at }),
      });
      return { ...record, key };
    },
  );

  readonly delete = endpoint(
    {
      summary: "Revoke an API key",
      tags,
      returns: { 204: null },
      errors: { 404: "API key not found", 500: storeFailures },
    },
    async (ctx: Context<"/auth/api-keys/:id">) =>
      (await this.#keys.revoke(ctx.get("user_id"), ctx.param("id"))) ? undefined : ctx.fail(404),
  );

  /** The key of a deleted user is invalid. */
  readonly show = endpoint(
    {
      summary: "The API key of the request",
      tags,
      returns: ApiKey,
      errors: { 401: "Invalid API key", 500: storeFailures },
    },
    async (ctx) => ((await this.#users.find(ctx.get("user_id"))) === undefined ? ctx.fail(401) : ctx.get("api_key")),
  );
}
