import { type ApiKeyRecord, ApiKeys, Policy } from "@tenon/auth";
import { type Context, inject } from "@tenon/core";

/** Keys of other users are missing. List it after `BearerAuth`. */
export class ApiKeyOwner extends Policy<ApiKeyRecord> {
  readonly name = "api key owner";
  readonly missing = 404;
  readonly denied = 404;
  override readonly errors = { 404: "API key not found" };
  readonly #keys = inject(ApiKeys);

  async load(id: string, ctx: Context) {
    const own = await this.#keys.list(ctx.get("user_id"));
    return own.find((key) => key.id === id);
  }

  allow(ctx: Context, key: ApiKeyRecord) {
    return key.user_id === ctx.get("user_id");
  }
}
