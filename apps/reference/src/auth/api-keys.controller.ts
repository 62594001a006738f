import { ApiKeyAuth, ApiKeys, BearerAuth, invalidToken } from "@tenon/auth";
import { type Context, group, inject, routes } from "@tenon/core";
import { bodyLimit } from "@tenon/core/middleware";
import { UsersService } from "../users/users.service.ts";
import { CreateApiKeyDTO, maxAuthBody } from "./auth.dto.ts";
import { noStore } from "./no-store.ts";

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

  index(ctx: Context) {
    return this.#keys.list(ctx.get("user_id"));
  }

  async create(ctx: Context) {
    // no field is required, so the body is optional
    const isEmpty = (await ctx.request().body()).byteLength === 0;
    const { name, expires_at } = isEmpty ? {} : await ctx.bind(CreateApiKeyDTO);
    if ((await this.#users.find(ctx.get("user_id"))) === undefined) return invalidToken(ctx);
    const { key, record } = await this.#keys.create(ctx.get("user_id"), {
      ...(name === undefined ? {} : { name }),
      ...(expires_at === undefined ? {} : { expiresAt: expires_at }),
    });
    return ctx.status(201).json({ ...record, key });
  }

  async delete(ctx: Context<"/auth/api-keys/:id">) {
    const revoked = await this.#keys.revoke(ctx.get("user_id"), ctx.param("id"));
    return revoked ? undefined : ctx.status(404).json({ error: "API key not found" });
  }

  /** The key of a deleted user is invalid. */
  async show(ctx: Context) {
    const user = await this.#users.find(ctx.get("user_id"));
    return user === undefined ? ctx.status(401).json({ error: "Invalid API key" }) : ctx.get("api_key");
  }
}
