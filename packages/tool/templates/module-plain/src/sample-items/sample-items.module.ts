import { defineModule } from "@tenon/core";
import { SampleItemsController } from "./sample-items.controller.ts";
import { SampleItemsService } from "./sample-items.service.ts";

export const SampleItemsModule = defineModule({
  name: "sample-items",
  declarations: [SampleItemsController, SampleItemsService],
  exports: [SampleItemsService],
});
