import { type Context, inject, type Middleware, type Next } from "@tenon/core";
import { ApiKeys } from "./api-keys.ts";
import { unauthorized } from "./unauthorized.ts";

/** Lets a request pass with a valid key in `X-API-Key`. */
export class ApiKeyAuth implements Middleware {
  readonly #keys = inject(ApiKeys);

  async handle(ctx: Context, next: Next) {
    const key = ctx.header("x-api-key");
    if (key === "") return unauthorized(ctx, "Missing API key");
    const record = await this.#keys.validate(key);
    if (record === undefined) return unauthorized(ctx, "Invalid API key");
    ctx.set("api_key", record);
    ctx.set("user_id", record.user_id);
    return next();
  }
}
