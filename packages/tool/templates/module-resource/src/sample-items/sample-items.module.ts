import { defineModule } from "@tenon/core";
import { DataModule } from "../data.module.ts";
import { SampleItemsController } from "./sample-items.controller.ts";
import { SampleItemsService } from "./sample-items.service.ts";

export const SampleItemsModule = defineModule({
  name: "sample-items",
  imports: [DataModule],
  declarations: [SampleItemsController, SampleItemsService],
  exports: [SampleItemsService],
});
