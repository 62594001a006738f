import { defineModule } from "@tenon/core";
{% if (!split) { -%}
import { SampleItemsController } from "./sample-items.controller.ts";
{% } -%}
import { SampleItemsService } from "./sample-items.service.ts";

export const SampleItemsModule = defineModule({
  name: "sample-items",
  declarations: [{%= split ? "" : "SampleItemsController, " %}SampleItemsService],
  exports: [SampleItemsService],
});
