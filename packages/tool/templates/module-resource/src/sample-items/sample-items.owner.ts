import { Policy } from "@tenon/auth";
import { type Context, inject } from "@tenon/core";
import { {%= sortNames(["notFound", "type SampleItem"]) %} } from "./sample-items.dto.ts";
import { SampleItemsService } from "./sample-items.service.ts";

/** Users other than the owner get the response for a sample item that does not exist. List it after the guard. */
export class SampleItemOwner extends Policy<SampleItem> {
  readonly name = "sample item owner";
  readonly missing = 404;
  readonly denied = 404;
  override readonly errors = notFound;
  readonly #sampleItems = inject(SampleItemsService);

  load(id: string) {
    return this.#sampleItems.find(id);
  }

  allow(ctx: Context, { user_id }: SampleItem) {
    return user_id === ctx.get("user_id");
  }
}
