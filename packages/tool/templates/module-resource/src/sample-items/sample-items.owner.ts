import { type Context, HttpError, inject, type Middleware, type Next } from "@tenon/core";
import { SampleItemsService } from "./sample-items.service.ts";

/** Rejects users other than the owner; a missing row is left to the handler. List it after the guard. */
export class SampleItemOwner implements Middleware {
  readonly contract = { errors: { 403: "Only its owner can change or delete a sample item" } } as const;
  readonly #sampleItems = inject(SampleItemsService);

  async handle(ctx: Context<"/sample-items/:id">, next: Next) {
    const found = await this.#sampleItems.find(ctx.param("id"));
    const isOther = found !== undefined && found.{%= owner.name %} !== ctx.get("user_id");
    if (isOther) throw new HttpError(403, this.contract.errors[403]);
    return next();
  }
}
