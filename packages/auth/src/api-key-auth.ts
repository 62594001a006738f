import {
  type Context,
  HttpError,
  inject,
  type Middleware,
  type MiddlewareContract,
  type Next,
  Reply,
} from "@tenon/core";
import { type ApiKeyRecord, ApiKeys } from "./api-keys.ts";
import { limitCaching } from "./limit-caching.ts";
import { AuthSettings } from "./settings.ts";
import { unauthorized } from "./unauthorized.ts";

/** Requires a valid key in `X-API-Key`. */
export class ApiKeyAuth implements Middleware {
  readonly contract: MiddlewareContract<"user_id" | "api_key"> = {
    sets: ["user_id", "api_key"],
    security: { apiKey: { type: "apiKey", in: "header", name: "X-API-Key" } },
    errors: { 401: ["Missing API key", "Invalid API key"] },
  };
  readonly #keys = inject(ApiKeys);
  readonly #findUser = inject(AuthSettings).findUser;

  async handle(ctx: Context, next: Next) {
    limitCaching(ctx, "X-API-Key");
    const key = ctx.header("x-api-key");
    if (key === "") return unauthorized("Missing API key");
    const record = await this.#find(key);
    if (record === undefined) return unauthorized("Invalid API key");
    ctx.set("api_key", record);
    ctx.set("user_id", record.user_id);
    if (ctx.isLive) {
      const principal = record.user_id;
      ctx.addLease({ reason: "the API key is no longer valid", principal, isValid: () => this.#isActive(key) });
    }
    let refused = false;
    try {
      const value = await next();
      refused = value instanceof Reply && value.status === 401;
      return value;
    } catch (error) {
      refused = error instanceof HttpError && error.status === 401;
      throw error;
    } finally {
      // after the handler, because only the handler may know that the user of the key is deleted
      if (!refused) await this.#noteUse(ctx, record);
    }
  }

  async #isActive(key: string): Promise<boolean> {
    return (await this.#find(key)) !== undefined;
  }

  /** Undefined also when the user of the key is gone, where the module has `findUser`. */
  async #find(key: string): Promise<ApiKeyRecord | undefined> {
    const record = await this.#keys.validate(key);
    if (record === undefined || this.#findUser === undefined) return record;
    return (await this.#findUser(record.user_id)) && record;
  }

  /** Errors are only logged: the handler has done its work, and a failed timestamp must not turn it into a 500. */
  async #noteUse(ctx: Context, record: ApiKeyRecord): Promise<void> {
    try {
      await this.#keys.noteUse(record);
    } catch (error) {
      ctx.log.warn({ err: error, key_id: record.id }, "the last use of an API key could not be stored");
    }
  }
}
