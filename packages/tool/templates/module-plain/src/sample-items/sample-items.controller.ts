import { inject, routes } from "@tenon/core";
import { SampleItemsService } from "./sample-items.service.ts";

export class SampleItemsController {
  readonly #sampleItems = inject(SampleItemsService);

  /** The same handler as an HTTP route and as a command. */
  routes() {
    return routes([
      { method: "GET", path: "/sample-items", handler: this.index },
      { path: "sample-items", handler: this.index },
    ]);
  }

  index() {
    return this.#sampleItems.describe();
  }
}
