{% if (pagesOnly) { -%}
import { route } from "@tenon/core";
import { view } from "@tenon/web";
{% } else { -%}
import { dto, route, string } from "@tenon/core";
{% } -%}

{% if (!pagesOnly) { -%}
const Message = dto({ message: string("required") });

{% } -%}
export class SampleItemsController {
  readonly index = route.get("/sample-items", { summary: "Show sample items"{% if (!pagesOnly) { %}, returns: Message{% } %} }, () => {
    return {% if (pagesOnly) { %}view("sample-items/index", { message: "sample items: ready" }){% } else { %}{ message: "sample items: ready" }{% } %};
  });

  routes() {
    return [this.index];
  }
}
