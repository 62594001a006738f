{% if (pagesOnly) { -%}
import { inject, route } from "@tenon/core";
import { view } from "@tenon/web";
{% } else { -%}
import { dto, inject, route, string } from "@tenon/core";
{% } -%}
import { SampleItemsService } from "./sample-items.service.ts";

{% if (!pagesOnly) { -%}
const Message = dto({ message: string("required") });

{% } -%}
export class SampleItemsController {
  readonly #sampleItems = inject(SampleItemsService);

  readonly index = route.get("/sample-items", { summary: "Describe sample items"{% if (!pagesOnly) { %}, returns: Message{% } %} }, () => {
    return {% if (pagesOnly) { %}view("sample-items/index", this.#sampleItems.describe()){% } else { %}this.#sampleItems.describe(){% } %};
  });

  /** The same service at a terminal. */
  readonly describe = route.command("sample-items", { summary: "Describe sample items" }, () => {
    return this.#sampleItems.describe();
  });

  routes() {
    return [this.index, this.describe];
  }
}
