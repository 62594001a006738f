import { dto, endpoint, inject, routes, string } from "@tenon/core";
import { SampleItemsService } from "./sample-items.service.ts";

const Message = dto({ message: string("required") });

export class SampleItemsController {
  readonly #sampleItems = inject(SampleItemsService);

  /** The same handler as an HTTP route and as a command. */
  routes() {
    return routes([
      { method: "GET", path: "/sample-items", handler: this.index },
      { path: "sample-items", handler: this.index },
    ]);
  }

  readonly index = endpoint({ summary: "Describe sample items", returns: Message }, () => {
    return this.#sampleItems.describe();
  });
}
