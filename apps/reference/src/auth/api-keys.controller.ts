import { ApiKeyAuth, ApiKeys, BearerAuth, invalidToken } from "@tenon/auth";
import { array, inject, route } from "@tenon/core";
import { bodyLimit } from "@tenon/core/middleware";
import { storeFailures } from "../database/store-failures.ts";
import { UsersService } from "../users/users.service.ts";
import { ApiKeyOwner } from "./api-key-owner.ts";
import { ApiKey, CreateApiKeyDTO, maxAuthBody, NewApiKey } from "./auth.dto.ts";

const auth = route.under("/auth", { tags: ["API keys"], errors: storeFailures });
const keys = auth.under("/api-keys", { middlewares: [bodyLimit(maxAuthBody), BearerAuth] });

/** The API keys of the user, and a route that requires one. */
export class ApiKeysController {
  readonly #keys = inject(ApiKeys);
  readonly #users = inject(UsersService);

  readonly index = keys.get("", { summary: "The user's API keys, newest first", returns: array(ApiKey) }, (ctx) =>
    this.#keys.list(ctx.get("user_id")),
  );

  readonly create = keys.post(
    "",
    {
      summary: "Create an API key, which is shown once",
      body: { optional: CreateApiKeyDTO },
      returns: { 201: NewApiKey },
    },
    async (ctx, { body: { name, expires_at, scopes } = {} }) => {
      if ((await this.#users.find(ctx.get("user_id"))) === undefined) return invalidToken(ctx);
      const options = { name, expiresAt: expires_at, scopes: scopes ?? "all" } as const;
      const { key, record } = await this.#keys.create(ctx.get("user_id"), options, ctx);
      return { ...record, key };
    },
  );

  readonly delete = keys.delete(
    "/:id",
    {
      middlewares: [ApiKeyOwner],
      summary: "Revoke an API key",
      returns: { 204: null },
      errors: { 404: "API key not found" }, // revoked since the policy has loaded it
    },
    async (ctx) => ((await this.#keys.revoke(ctx.get("user_id"), ctx.param("id"), ctx)) ? undefined : ctx.fail(404)),
  );

  /** The key of a deleted user is invalid. */
  readonly show = auth.get(
    "/key",
    {
      middlewares: [ApiKeyAuth],
      summary: "The API key of the request",
      returns: ApiKey,
      errors: { 401: "Invalid API key" },
    },
    async (ctx) => ((await this.#users.find(ctx.get("user_id"))) === undefined ? ctx.fail(401) : ctx.get("api_key")),
  );

  routes() {
    return [this.index, this.create, this.delete, this.show];
  }
}
