import { type Context, HttpError, inject, type Middleware, type Next, Reply } from "@tenon/core";
import { type ApiKeyRecord, ApiKeys } from "./api-keys.ts";
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
    let refused = false;
    try {
      const value = await next();
      refused = value instanceof Reply && value.status === 401;
      return value;
    } catch (error) {
      refused = error instanceof HttpError && error.status === 401;
      throw error;
    } finally {
      // behind the handler, which alone may know that the user of the key is gone
      if (!refused) await this.#noteUse(ctx, record);
    }
  }

  /** The work is done: it must not be answered as failed because a time could not be written. */
  async #noteUse(ctx: Context, record: ApiKeyRecord): Promise<void> {
    try {
      await this.#keys.noteUse(record);
    } catch (error) {
      ctx.log.warn({ err: error, key_id: record.id }, "the use of an API key could not be noted");
    }
  }
}
